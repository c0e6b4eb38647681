const SHORTEST_INTERVAL_MS = 15_000;
/** Saving may take at most this share of the emulator's time. */
const LARGEST_SHARE = 1 / 20;

/**
 * Saves in intervals while there is something new, in longer ones where a save takes long. A save that fails is tried
 * again.
 */
export class Autosave {
  readonly #save: () => Promise<void>;
  readonly #revision: () => number;
  #savedRevision: number;
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Starts the first interval. `revision` returns another number whenever there may be something new. */
  constructor(save: () => Promise<void>, revision: () => number) {
    this.#save = save;
    this.#revision = revision;
    this.#savedRevision = revision();
    this.#schedule(SHORTEST_INTERVAL_MS);
  }

  /** Saves a last time, and stops. Rejects when that save fails. */
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

  /** Returns the milliseconds until the next time. */
  async #saveIfNew(): Promise<number> {
    const revision = this.#revision();
    if (revision === this.#savedRevision) return SHORTEST_INTERVAL_MS;
    const startedAt = performance.now();
    try {
      await this.#save();
      this.#savedRevision = revision;
    } catch {
      // The emulator is stopping or busy: what could not be saved now is saved with the next.
    }
    return Math.max(SHORTEST_INTERVAL_MS, (performance.now() - startedAt) / LARGEST_SHARE);
  }
}
