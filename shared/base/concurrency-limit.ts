/** Limits how many tasks run at a time. Tasks above the limit are refused, not queued. */
export class ConcurrencyLimit {
  readonly #max: number;
  #taken = 0;
  readonly #slot: Disposable = {
    [Symbol.dispose]: () => {
      this.#taken--;
    },
  };

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot, which is free again when the result is disposed of. Throws `refuse()` if no slot is free. */
  take(refuse: () => Error): Disposable {
    if (this.#taken >= this.#max) throw refuse();
    this.#taken++;
    return this.#slot;
  }
}
