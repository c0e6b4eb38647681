const MIN_INTERVAL_MS = 15_000;
/** The maximum share of the emulator's time that saving may use. */
const MAX_SHARE = 1 / 20;

/**
 * Saves changes at intervals. If saves are slow, the interval becomes longer. After a failed save, the next interval's
 * save includes the same changes.
 */
export class Autosave {
  readonly #save: () => Promise<void>;
  readonly #revision: () => number;
  #savedRevision: number;
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Starts the first interval. `revision` must return a new number after every change. */
  constructor(save: () => Promise<void>, revision: () => number) {
    this.#save = save;
    this.#revision = revision;
    this.#savedRevision = revision();
    this.#schedule(MIN_INTERVAL_MS);
  }

  /** Saves a last time and stops. Rejects if the save fails. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
    await this.#save();
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#saveIfNew().then((next) => {
        if (this.#timer !== undefined) this.#schedule(next);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Saves if anything has changed. Returns the milliseconds until the next save. */
  async #saveIfNew(): Promise<number> {
    const revision = this.#revision();
    if (revision === this.#savedRevision) return MIN_INTERVAL_MS;
    const startedAt = performance.now();
    try {
      await this.#save();
      this.#savedRevision = revision;
    } catch {
      // The emulator is stopping or busy. The next save includes these changes.
    }
    return Math.max(MIN_INTERVAL_MS, (performance.now() - startedAt) / MAX_SHARE);
  }
}
