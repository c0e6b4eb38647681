import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../../../emulators/base/service-hooks.ts';
import type { BesetService } from '../beset-service.ts';
import { inTime } from './in-time.ts';
import type { Rig } from './rig.ts';
import type { Troubles } from './troubles.ts';

/** Longer than any run of a scheduled function. */
const RUN_WITHIN_MS = 300_000;

/**
 * When each run starts, as a share of the traffic's time. `seal-audit` reads all rows, so it runs in the middle third.
 */
const RUNS: readonly (readonly [at: number, job: Job])[] = [
  [0.2, 'destroy-due-keys'],
  [0.25, 'close-month'],
  [0.42, 'seal-audit'],
  [0.55, 'destroy-due-keys'],
  [0.58, 'seal-audit'],
  // The month ends at 0.5. By now the service has counted the requests that were in flight then.
  [0.65, 'close-month'],
  [0.8, 'destroy-due-keys'],
  [0.85, 'close-month'],
];

/** Times are those of `performance.now()`. */
export interface JobRun {
  readonly job: Job;
  readonly from: number;
  readonly until: number;
}

/** Resolves to the summary of the run. */
export function runJob(service: BesetService, job: Job): Promise<unknown> {
  return inTime(RUN_WITHIN_MS, job, service.ask({ run: job }));
}

/** Runs the scheduled functions beside the traffic, and records them as noise. A run may fail only during a fault. */
export async function runJobs(
  { service, faults }: Pick<Rig, 'service' | 'faults'>,
  forMs: number,
  stopped: AbortSignal,
  noise: Troubles,
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
