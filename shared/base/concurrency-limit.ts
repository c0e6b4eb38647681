/** Limits the work in flight by refusing the excess at once instead of queueing it. */
export class ConcurrencyLimit {
  readonly #places: number;
  #taken = 0;
  /** Any of the places: they are all alike. */
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

  /** Takes a place, which is free again once it is disposed of. Throws `refuse()` when none is free. */
  take(refuse: () => Error): Disposable {
    if (this.#taken >= this.#places) throw refuse();
    this.#taken++;
    return this.#place;
  }
}
