/*
 * npm run drill -- upgrade [--from REF] [--seconds N]: updates and rolls back under traffic, from the last release to today's
 * version, and from today's to a fixture of its successor; each phase takes N seconds. Prints what was seen. Fails when the
 * service was not as it should be.
 */
import { parseArgs } from 'node:util';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { endChildrenWithThisProcess } from '../support/end-children.ts';
import { checkOut, lastRelease, successor, TODAY } from './checkouts.ts';
import { reportCrossing } from './upgrade-report.ts';
import { crossOver, type Version } from './upgrade-run.ts';

const { values } = parseArgs({ options: { from: { type: 'string' }, seconds: { type: 'string', default: '6' } } });
const seconds = Number(values.seconds);
if (!(seconds >= 1)) throw new Error('--seconds needs a number from 1 on');

endChildrenWithThisProcess();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const release = values.from ?? lastRelease();
const today: Version = { name: 'today', checkout: TODAY };
const stack = await startSeparateStack();
await using cleanup = new AsyncDisposableStack();
cleanup.defer(stack.stop);
if (release === undefined) {
  process.stdout.write('No release has a tag (v*) yet. Only its successor runs beside today’s version.\n');
} else {
  using checkout = checkOut(release);
  await drill({ name: release, checkout }, today);
}
using checkout = successor();
await drill(today, { name: 'successor', checkout });

async function drill(older: Version, newer: Version): Promise<void> {
  const crossing = await crossOver(stack, older, newer, seconds);
  process.stdout.write(`\n${older.name} and ${newer.name}: ${crossing.opened} ciphertexts opened\n\n`);
  process.stdout.write(reportCrossing(crossing, [older.name, newer.name]));
  for (const flaw of crossing.flaws) process.stdout.write(`  ${flaw}\n`);
  if (crossing.flaws.length > 0) process.exitCode = 1;
}
