/**
 * Saves a state that changes, one save at a time: changes during a save share the next one. `save` has to read the
 * state when it is called.
 */
export class Saver {
  readonly #save: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #hasFailed = false;

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  /** Notes a change, which the next save includes. */
  changed(): void {
    if (this.#queued !== undefined) return;
    this.#queued = this.#saveAfter(this.#running);
    // A failure reaches the caller that awaits `saved`; unhandled it would end the process.
    this.#queued.catch(() => undefined);
  }

  /** Resolves once every change so far is saved. Rejects when the save fails; the next call then tries again. */
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
