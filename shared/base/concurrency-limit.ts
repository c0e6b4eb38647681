/** A limit on work in flight: past it, work is refused at once instead of queued without end. */
export class ConcurrencyLimit {
  readonly #places: number;
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** How much is in flight. */
  get taken(): number {
    return this.#taken;
  }

  /** Runs `work` if there is a place, else throws what `refuse` makes. */
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
