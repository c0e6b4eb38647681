/** Limits how many tasks run at a time. Tasks above the limit are refused, not queued. */
export class ConcurrencyLimit {
  readonly #places: number;
  #taken = 0;
  readonly #place: Disposable = {
    [Symbol.dispose]: () => {
      this.#taken--;
    },
  };

  constructor(places: number) {
    this.#places = places;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot, which is free again when the result is disposed of. Throws `refuse()` if no slot is free. */
  take(refuse: () => Error): Disposable {
    if (this.#taken >= this.#places) throw refuse();
    this.#taken++;
    return this.#place;
  }
}
