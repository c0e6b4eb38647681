/*
 * npm run fairness [-- --only NAME] [-- --seconds N]: what one tenant sees before, during and after an attack that another
 * makes, or anybody, within what the rate limit lets them send. Prints it, and writes it into docs/reliability.md when every
 * attack was made. Each has a process of the service and a KMS of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { pathOf } from '../child.ts';
import { attackOnce } from './attack-run.ts';
import { ATTACKS } from './attacks.ts';
import { report, type Seen } from './report.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, seconds: { type: 'string', default: '5' } },
});
const seconds = Number(values.seconds);
const { only } = values;
const chosen = ATTACKS.filter(({ name }) => only?.includes(name) ?? true);
if (chosen.length < (only?.length ?? 1) || !(seconds > 0)) {
  throw new Error(`--only takes ${ATTACKS.map(({ name }) => `"${name}"`).join(', ')}; --seconds a number above 0`);
}

const PAGE = pathOf('../docs/reliability.md');
const BLOCK = /(<!-- npm run fairness -->\n)[\s\S]*?(<!-- end -->)/;

// Google's clients would look for the metadata server of a machine of theirs.
process.env.METADATA_SERVER_DETECTION ??= 'none';
await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const seen: Seen[] = [];
for (const attack of chosen) {
  process.stdout.write(`${attack.name}\n`);
  seen.push(await attackOnce(stack, attack, seconds));
}
const tables = report(seen);
process.stdout.write(`\n${tables}`);
if (only === undefined) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_, begin, end) => `${begin}\n${tables}\n${end}`),
  );
}
