/*
 * npm run drill -- NAME [OPTIONS]: starts a stack and tries to break a promise of the service on it. Exits with 1 if
 * the promise is broken.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endChildrenWithThisProcess } from '../support/end-children.ts';

const USAGE = `Usage: npm run drill -- NAME [options]

  crash [--rounds N]                     no acknowledged operation is lost when a process ends under load
  faults                                 every route answers as documented while a dependency fails
  fairness [--only NAME] [--seconds N]   one tenant's attack harms no other tenant
  upgrade [--from REF] [--seconds N]     during an update and its rollback, no request fails and no data is lost
  restore                                after a restore, no revoked right comes back, and every loss is reported
  region                                 after a region is lost, a second one has everything from before the export
  races [-t "words of the race"]         concurrent requests have the same results as requests in sequence
  seeded [--only WORDS]                  a test notices each of 58 faults in the service
  soak [--minutes N]                     in a long run with 50 tenants, memory does not grow and no data is lost
`;

const DRILLS = new Map<string, () => Promise<unknown>>([
  ['crash', async () => (await import('./crash.ts')).drill()],
  ['faults', async () => (await import('./faults.ts')).drill()],
  ['fairness', () => import('../../bench/fairness/run.ts')],
  ['upgrade', async () => (await import('./upgrade.ts')).drill()],
  ['restore', async () => (await import('./restore/restore.ts')).drill()],
  ['region', () => import('./region.ts')],
  ['races', runRaces],
  ['seeded', async () => (await import('./seeded.ts')).drill()],
  ['soak', async () => (await import('./soak.ts')).drill()],
]);

const [name = ''] = process.argv.splice(2, 1);
const drill = DRILLS.get(name);
if (drill === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  endChildrenWithThisProcess();
  // An exit removes the checkouts and temporary folders of a drill, which a signal alone would not.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await drill();
}

/** Runs the race tests, with 300 rounds of each unless `RACE_ROUNDS` is set. */
async function runRaces(): Promise<void> {
  const args = ['run', '--project', 'long', 'test/races', ...process.argv.slice(2)];
  const env = { RACE_ROUNDS: '300', ...process.env };
  const [code] = await once(spawn('vitest', args, { stdio: 'inherit', env }), 'exit');
  process.exitCode = code ?? 1;
}
