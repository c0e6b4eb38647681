import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../../../emulators/base/service-hooks.ts';
import type { Kind, Part, ProxiedService } from '../proxied-service.ts';
import { withDeadline } from './deadline.ts';

/** How long after the end of a fault a request may still be refused because of the fault. */
const RECOVERY_MS = 5_000;

/** A period with its name. Times are from `performance.now()`. */
interface Disturbance {
  readonly name: string;
  readonly from: number;
  until: number;
}

/** Periods in which a fault, a scheduled function or high load explains refusals or slow answers. */
export class Disturbances {
  readonly #all: Disturbance[] = [];

  /** Notes that a disturbance starts. Returns a function that notes its end. */
  begin(name: string): () => void {
    const disturbance = { name, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(disturbance);
    return () => {
      disturbance.until = performance.now();
    };
  }

  /** Returns the name of a disturbance during this period or shortly before it. Returns `undefined` if there was none. */
  during(from: number, to: number): string | undefined {
    return this.#all.find((one) => one.from <= to && from <= one.until + RECOVERY_MS)?.name;
  }
}

const QUIET_MS = 20_000;
const FAULT_MS = 4_000;

/**
 * The faults, in the order in which they happen. A fault is of a kind from the drill `faults`, or delays all calls by
 * `delayMs`.
 */
const FAULTS: readonly { readonly part: Part; readonly fault: Kind | { readonly delayMs: number } }[] = [
  { part: 'firestore', fault: { delayMs: 100 } },
  { part: 'kms', fault: 'down' },
  { part: 'pdp', fault: 'down' },
  { part: 'firestore', fault: 'failing' },
  { part: 'stripe', fault: 'down' },
  { part: 'kms', fault: 'slow' },
  { part: 'idp', fault: 'down' },
  { part: 'pdp', fault: 'failing' },
  { part: 'kms', fault: 'failing' },
  { part: 'firestore', fault: 'down' },
  { part: 'stripe', fault: 'failing' },
];

/** Starts and ends faults until the signal aborts. Returns the number of faults. */
export async function runFaults(
  service: ProxiedService,
  disturbances: Disturbances,
  stopped: AbortSignal,
): Promise<number> {
  let count = 0;
  for (;;) {
    await pause(QUIET_MS, undefined, { signal: stopped }).catch(() => undefined);
    const next = FAULTS[count % FAULTS.length];
    if (stopped.aborted || next === undefined) return count;
    const { part, fault } = next;
    const end = disturbances.begin(`${part} ${typeof fault === 'string' ? fault : 'delayed'}`);
    if (typeof fault === 'string') await service.set(part, fault);
    else service.delay(part, fault.delayMs);
    await pause(FAULT_MS, undefined, { signal: stopped }).catch(() => undefined);
    await service.set(part, null);
    end();
    count += 1;
  }
}

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
  { service, faults }: { readonly service: ProxiedService; readonly faults: Disturbances },
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
