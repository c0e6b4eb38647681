/**
 * Saves changes with `save`, one save at a time. One further save covers all changes during a save. `save` must read
 * the current state. Calls `report` with the first of several failures.
 */
export class Saver {
  readonly #save: () => Promise<void>;
  readonly #report: (error: unknown) => void;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #hasFailed = false;

  constructor(save: () => Promise<void>, report: (error: unknown) => void) {
    this.#save = save;
    this.#report = report;
  }

  changed(): void {
    this.#queued ??= this.#saveAfter(this.#running);
  }

  /** Resolves when all changes so far are saved, or could not be saved. The next call then tries again. */
  saved(): Promise<void> {
    if (this.#hasFailed && this.#queued === undefined) this.changed();
    return this.#queued ?? this.#running;
  }

  async #saveAfter(previous: Promise<void>): Promise<void> {
    await previous;
    this.#running = this.#queued ?? this.#running;
    this.#queued = undefined;
    try {
      await this.#save();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#report(error);
      this.#hasFailed = true;
    }
  }
}
