/** Limits the work in flight by refusing the excess at once instead of queueing it. */
export class ConcurrencyLimit {
  readonly #places: number;
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Runs `work` if a slot is free, or throws `refuse()`. */
  async enter<T>(work: () => Promise<T>, refuse: () => Error): Promise<T> {
    if (this.#taken >= this.#places) throw refuse();
    this.#taken++;
    try {
      return await work();
    } finally {
      this.#taken--;
    }
  }
}
