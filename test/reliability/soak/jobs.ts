import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../../../emulators/base/service-hooks.ts';
import type { ProxiedService } from '../proxied-service.ts';
import { withDeadline } from './deadline.ts';
import type { Disturbances } from './disturbances.ts';
import type { Rig } from './rig.ts';

/** The time limit for a run of a scheduled function. It is longer than any run should take. */
const RUN_DEADLINE_MS = 300_000;

/**
 * When each run starts, as a fraction of the duration of the traffic. Runs that read all rows start in the middle
 * third, because only the first and the last third are compared.
 */
const RUNS: readonly (readonly [at: number, job: Job])[] = [
  [0.2, 'destroy-due-keys'],
  [0.25, 'close-month'],
  [0.42, 'seal-audit'],
  [0.55, 'destroy-due-keys'],
  [0.58, 'seal-audit'],
  // The month ends halfway, at 0.5. By 0.65, all operations that were in progress at the end of the month have been
  // counted.
  [0.65, 'close-month'],
  [0.8, 'destroy-due-keys'],
  [0.85, 'close-month'],
];

/** A run of a scheduled function. Its times are from `performance.now()`. */
export interface JobRun {
  readonly job: Job;
  readonly from: number;
  readonly until: number;
}

/** Runs a scheduled function once, and resolves to its summary. */
export function runJob(service: ProxiedService, job: Job): Promise<unknown> {
  return withDeadline(RUN_DEADLINE_MS, job, service.ask({ run: job }));
}

/**
 * Runs the scheduled functions during the traffic, and records when they run, because they make requests slower. A run
 * may fail only during a fault.
 */
export async function runJobs(
  { service, faults }: Pick<Rig, 'service' | 'faults'>,
  forMs: number,
  stopped: AbortSignal,
  noise: Disturbances,
): Promise<JobRun[]> {
  const startedAt = performance.now();
  const runs: JobRun[] = [];
  for (const [share, job] of RUNS) {
    const wait = startedAt + share * forMs - performance.now();
    await pause(Math.max(0, wait), undefined, { signal: stopped }).catch(() => undefined);
    if (stopped.aborted) break;
    const from = performance.now();
    const end = noise.begin(job);
    await runJob(service, job).catch((error: unknown) => {
      if (faults.during(from, performance.now()) === undefined) throw error;
    });
    end();
    runs.push({ job, from, until: performance.now() });
  }
  return runs;
}
