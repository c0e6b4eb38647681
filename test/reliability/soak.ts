/*
 * npm run drill -- soak [--minutes N] [--seed N]: 50 tenants send mixed traffic across the end of a month, with
 * temporary faults, on a separate stack. Prints the figures of the first and of the last third of the run, and which
 * promises were kept. Fails if a figure has grown too much or a promise is broken.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startTestStack } from '../support/stacks.ts';
import { flawsOf, report } from './soak/soak-report.ts';
import { soak } from './soak/soak-run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes >= 1)) throw new Error('--minutes must be at least 1');
if (!Number.isInteger(seed)) throw new Error('--seed must be a whole number');

const startedAt = performance.now();
const say = (line: string) => void process.stdout.write(`${line}\n`);
const sayWithTime = (line: string) => say(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${line}`);
say(`seed ${seed}`);
const stack = await startTestStack();
try {
  const findings = await soak(stack, { minutes, seed, say: sayWithTime });
  const { requests, uncertain, faults, refusals, uncalled, core } = findings;
  say(`\n${report(findings)}`);
  say(`${requests} requests, ${faults} faults, ${uncertain} failed operations that may have been counted`);
  say(
    `refused because of faults: ${JSON.stringify(Object.fromEntries(refusals))}; the service used ${Math.round(core * 100)} % of a core`,
  );
  if (uncalled.length > 0) say(`not called: ${uncalled.join(', ')}`);
  const flaws = flawsOf(findings);
  for (const flaw of flaws) say(flaw);
  if (flaws.length > 0) process.exitCode = 1;
} finally {
  await stack.stop();
}
