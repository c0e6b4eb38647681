/** The number of calls whose duration is kept. The percentile is computed again after `COMPUTED_AFTER` calls. */
const KEPT = 256;
const COMPUTED_AFTER = 16;

/** The durations of recent calls, which show when a call is unusually slow. */
export class RecentTimes {
  readonly #times: number[] = [];
  #next = 0;
  #p95 = Number.POSITIVE_INFINITY;

  /** The 95th percentile in milliseconds. Infinite until enough calls have been measured. */
  get p95(): number {
    return this.#p95;
  }

  note(ms: number): void {
    this.#times[this.#next % KEPT] = ms;
    this.#next++;
    if (this.#next % COMPUTED_AFTER !== 0 || this.#next < KEPT / 4) return;
    this.#p95 = this.#times.toSorted((a, b) => a - b)[Math.floor(0.95 * this.#times.length)] ?? this.#p95;
  }
}
