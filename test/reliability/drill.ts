/*
 * npm run drill -- NAME [OPTIONS]: tries to break one promise of the service on a new stack. Exits with 1 if it
 * succeeds.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const USAGE = `Usage: npm run drill -- NAME [options]

  crash [--rounds N]                     no acknowledged operation is lost when a process ends under load
  faults                                 every route answers as documented while a part fails
  fairness [--only NAME] [--seconds N]   one tenant's attack harms no other tenant
  upgrade [--from REF] [--seconds N]     an update and its rollback under traffic lose nothing and fail no request
  restore                                a lost store is restored: no right comes back, and only what is told is lost
  races [-t "words of the race"]         concurrent requests end as if they came one after another
  soak [--minutes N] [--seed N]          nothing grows or is lost while 50 tenants use the service for long
`;

const DRILLS = new Map<string, () => Promise<unknown>>([
  ['crash', () => import('./crash.ts')],
  ['faults', () => import('./faults.ts')],
  ['fairness', () => import('../../bench/fairness/run.ts')],
  ['upgrade', () => import('./upgrade.ts')],
  ['restore', () => import('./restore.ts')],
  ['races', runRaces],
  ['soak', () => import('./soak.ts')],
]);

const [name = ''] = process.argv.splice(2, 1);
const drill = DRILLS.get(name);
if (drill === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await drill();
}

/** Runs 300 rounds of each race, or `RACE_ROUNDS`. */
async function runRaces(): Promise<void> {
  const args = ['run', '--project', 'long', 'test/races', ...process.argv.slice(2)];
  const env = { RACE_ROUNDS: '300', ...process.env };
  const [code] = await once(spawn('vitest', args, { stdio: 'inherit', env }), 'exit');
  process.exitCode = code ?? 1;
}
