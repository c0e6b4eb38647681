import type { Job } from '../base/service-hooks.ts';

/** How often each scheduled function runs, in minutes: about as often as Cloud Scheduler runs it. */
const PERIOD_MINUTES: Readonly<Record<Job, number>> = { 'destroy-due-keys': 5, 'seal-audit': 10, 'close-month': 60 };
const JOBS: readonly Job[] = ['destroy-due-keys', 'seal-audit', 'close-month'];

/** Runs the scheduled functions of a local stack. */
export class Schedules {
  readonly #run: (job: Job) => Promise<unknown>;
  readonly #report: (line: string) => void;
  readonly #running = new Map<Job, Promise<void>>();
  #timers: readonly NodeJS.Timeout[] = [];

  /** `run` runs a function; `report` is given a line about each run that fails. */
  constructor(run: (job: Job) => Promise<unknown>, report: (line: string) => void) {
    this.#run = run;
    this.#report = report;
    this.restart();
  }

  /** Begins each period anew. */
  restart(): void {
    this.#clear();
    this.#timers = JOBS.map((job) => setInterval(() => this.#begin(job), PERIOD_MINUTES[job] * 60_000));
  }

  /** Begins no more runs, and resolves once those under way have ended. */
  async stop(): Promise<void> {
    this.#clear();
    await Promise.all(this.#running.values());
  }

  #clear(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** A run that takes longer than its period is not joined by another. */
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
