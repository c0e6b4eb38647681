/*
 * npm run drill -- upgrade [--from REF] [--seconds N]: makes updates under traffic, each with its rollback: from the
 * last release to today's version, and from today's version to a successor, which a patch makes. Each phase lasts N
 * seconds. Prints the results and writes them to README.md beside it. Fails if the service did not behave as promised.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endChildrenWithThisProcess } from '../support/end-children.ts';
import { startTestStack } from '../support/stacks.ts';
import { checkOut, lastRelease, successor, TODAY } from './checkouts.ts';
import { reportUpgrade } from './upgrade-report.ts';
import { runUpgrade, type Version } from './upgrade-run.ts';

const { values } = parseArgs({ options: { from: { type: 'string' }, seconds: { type: 'string', default: '6' } } });
const seconds = Number(values.seconds);
if (!(seconds >= 1)) throw new Error('--seconds must be at least 1');

endChildrenWithThisProcess();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const PAGE = fileURLToPath(new URL('./README.md', import.meta.url));
const BLOCK = /(<!-- npm run drill -- upgrade -->\n)[\s\S]*?(<!-- end -->)/;

const today: Version = { name: 'today', checkout: TODAY };
const stack = await startTestStack();
await using cleanup = new AsyncDisposableStack();
cleanup.defer(stack.stop);
const release = values.from ?? lastRelease();
using earlier = checkOut(release);
using later = successor();
const tables = [
  await drill({ name: release, checkout: earlier }, today),
  await drill(today, { name: 'successor', checkout: later, isSuccessor: true }),
];
const page = readFileSync(PAGE, 'utf8');
writeFileSync(
  PAGE,
  page.replace(BLOCK, (_, begin, end) => `${begin}\n${tables.join('\n')}\n${end}`),
);

/** Runs an update and its rollback, and prints the result. Returns the results as a table. */
async function drill(older: Version, newer: Version): Promise<string> {
  const result = await runUpgrade(stack, older, newer, seconds);
  const table = reportUpgrade(result, [older.name, newer.name]);
  process.stdout.write(`\n${table}\n${result.decrypted} ciphertexts were decrypted.\n`);
  for (const flaw of result.flaws) process.stdout.write(`  ${flaw}\n`);
  if (result.flaws.length > 0) process.exitCode = 1;
  return table;
}
