/** A promise, how often it was checked, and what was wrong. */
export interface Outcome {
  readonly promise: string;
  readonly checked: number;
  readonly flaws: readonly string[];
}

/** Collects the results of checks. */
export class Promises {
  readonly #checked = new Map<string, number>();
  readonly #flaws = new Map<string, string[]>();

  /** Notes that a promise was kept, `times` times. */
  kept(promise: string, times: number): void {
    this.#checked.set(promise, (this.#checked.get(promise) ?? 0) + times);
  }

  /** Notes that a promise was checked `times` times. `flaws` has a line for each thing that is wrong. */
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
