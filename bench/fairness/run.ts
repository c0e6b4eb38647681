/*
 * npm run fairness [-- --only NAME] [-- --seconds N]: the answers to one tenant before, during and after each attack by
 * another, or by somebody without an API key, within the rate limit. Prints them, and writes them into
 * bench/RESULTS.md when every attack was made. Each attack has a process of the service and a KMS of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { pathOf } from '../child.ts';
import { attackOnce } from './attack-run.ts';
import { ATTACKS } from './attacks.ts';
import { type AttackResult, report } from './report.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, seconds: { type: 'string', default: '5' } },
});
const seconds = Number(values.seconds);
const { only } = values;
const chosen = ATTACKS.filter(({ name }) => only?.includes(name) ?? true);
if (chosen.length < (only?.length ?? 1) || !(seconds > 0)) {
  throw new Error(`--only takes ${ATTACKS.map(({ name }) => `"${name}"`).join(', ')}; --seconds a number above 0`);
}

const PAGE = pathOf('./RESULTS.md');
const BLOCK = /(<!-- npm run fairness -->\n)[\s\S]*?(<!-- end -->)/;

// Without it Google's clients look for the metadata server of a Google machine.
process.env.METADATA_SERVER_DETECTION ??= 'none';
await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const results: AttackResult[] = [];
for (const attack of chosen) {
  process.stdout.write(`${attack.name}\n`);
  results.push(await attackOnce(stack, attack, seconds));
}
const tables = report(results);
process.stdout.write(`\n${tables}`);
if (only === undefined) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_, begin, end) => `${begin}\n${tables}\n${end}`),
  );
}
