/*
 * Checks a running service from outside: npm run smoke -- URL [--keep] [--patience SECONDS]
 *
 * The variable SMOKE_API_KEY is the token of an API key that allows `create`, `encrypt`, `decrypt`, `delete` and
 * `restore`. Its tenant should have no other use. Prints a line for each check. Exits with code 1 if a check failed, and
 * with code 2 if the command line is wrong.
 *
 * The test encrypts with the `free` key `smoke-test`, which it restores or creates, and deletes at the end. With --keep,
 * the key stays, and so several runs can use it at the same time. Failed checks are repeated for 20 seconds in all, or
 * for as long as --patience says.
 */
import { runSmokeTest } from './smoke/smoke-test.ts';
import { readArguments, refuseUsage } from './usage.ts';

const PROGRAM = 'smoke';
const { values, positionals } = readArguments(PROGRAM, {
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false }, patience: { type: 'string', default: '20' } },
});
const [url, ...more] = positionals;
if (url === undefined || more.length > 0 || !URL.canParse(url)) refuseUsage(PROGRAM, 'expected one URL');
if (!/^\d{1,4}$/.test(values.patience)) refuseUsage(PROGRAM, '--patience: not a number of seconds');
const apiKey = process.env.SMOKE_API_KEY?.trim();
if (!apiKey) refuseUsage(PROGRAM, 'set SMOKE_API_KEY to the token of an API key');

const passed = await runSmokeTest({
  origin: new URL(url).origin,
  apiKey,
  keep: values.keep,
  patienceMs: Number(values.patience) * 1_000,
  report: (check, error) =>
    process.stdout.write(error === undefined ? `ok      ${check}\n` : `FAILED  ${check}: ${error}\n`),
});
process.stdout.write(passed ? `${url} passed the smoke test\n` : `${url} FAILED the smoke test\n`);
process.exitCode = passed ? 0 : 1;
