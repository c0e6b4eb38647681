/** A promise, how often it was checked, and the flaws that were found. */
export interface Outcome {
  readonly promise: string;
  readonly checked: number;
  readonly flaws: readonly string[];
}

export class Promises {
  readonly #checked = new Map<string, number>();
  readonly #flaws = new Map<string, string[]>();

  /** Records that a promise was kept a number of times. */
  kept(promise: string, times: number): void {
    this.#checked.set(promise, (this.#checked.get(promise) ?? 0) + times);
  }

  /** Records the flaws of `times` checks. */
  expect(promise: string, flaws: readonly string[], times = 1): void {
    this.kept(promise, times);
    this.#flaws.set(promise, [...(this.#flaws.get(promise) ?? []), ...flaws]);
  }

  get outcomes(): readonly Outcome[] {
    return [...this.#checked].map(([promise, checked]) => ({
      promise,
      checked,
      flaws: this.#flaws.get(promise) ?? [],
    }));
  }
}
