/**
 * Saves changes with `save`, one save at a time. One further save covers all changes during a save. `save` must read
 * the current state.
 */
export class Saver {
  readonly #save: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #hasFailed = false;

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  changed(): void {
    if (this.#queued !== undefined) return;
    this.#queued = this.#saveAfter(this.#running);
    // Callers of `saved` receive this error. Without a handler here, the error would also end the process.
    this.#queued.catch(() => undefined);
  }

  /** Resolves when all changes so far are saved. Rejects if the save fails. The next call then saves again. */
  saved(): Promise<void> {
    if (this.#hasFailed && this.#queued === undefined) this.changed();
    return this.#queued ?? this.#running;
  }

  async #saveAfter(previous: Promise<void>): Promise<void> {
    await previous.catch(() => undefined);
    this.#running = this.#queued ?? this.#running;
    this.#queued = undefined;
    try {
      await this.#save();
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }
}
