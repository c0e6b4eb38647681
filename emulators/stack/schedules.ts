import type { Job } from '../base/service-hooks.ts';

/** The period of each scheduled function in minutes, similar to its schedule in Cloud Scheduler. */
const PERIOD_MINUTES: Readonly<Record<Job, number>> = { 'destroy-due-keys': 5, 'seal-audit': 10, 'close-month': 60 };
/** A run does not end if the service never answers. */
const STOP_WITHIN_MS = 12_000;
const JOBS: readonly Job[] = ['destroy-due-keys', 'seal-audit', 'close-month'];

export class Schedules {
  readonly #run: (job: Job) => Promise<unknown>;
  readonly #report: (line: string) => void;
  readonly #running = new Map<Job, Promise<void>>();
  #timers: readonly NodeJS.Timeout[] = [];

  /** `report` receives one line for each failed run. */
  constructor(run: (job: Job) => Promise<unknown>, report: (line: string) => void) {
    this.#run = run;
    this.#report = report;
    this.restart();
  }

  /** Restarts the timers of all scheduled functions. */
  restart(): void {
    this.#clear();
    this.#timers = JOBS.map((job) => setInterval(() => this.#begin(job), PERIOD_MINUTES[job] * 60_000));
  }

  /** Starts no further runs. Resolves when the runs in progress have ended, or after {@link STOP_WITHIN_MS}. */
  async stop(): Promise<void> {
    this.#clear();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, STOP_WITHIN_MS);
    await Promise.race([Promise.all(this.#running.values()), late.promise]);
    clearTimeout(timer);
  }

  #clear(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Starts a run, unless the previous run of the same function is still in progress. */
  #begin(job: Job): void {
    if (this.#running.has(job)) return;
    const ended = this.#run(job).then(
      () => undefined,
      (error: unknown) => this.#report(`${job} failed: ${error instanceof Error ? error.message : error}`),
    );
    this.#running.set(
      job,
      ended.finally(() => this.#running.delete(job)),
    );
  }
}
