import { quantile } from '../statistics.ts';

export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #timesMs: number[] = [];

  record(outcome: string, tookMs: number): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    this.#timesMs.push(tookMs);
  }

  /** Returns the outcomes, the most frequent first. */
  get answers(): readonly Outcome[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count })).sort((a, b) => b.count - a.count);
  }

  /**
   * Returns the time in milliseconds within which this share of requests was answered. For a share of 0.5, this is the
   * median. Returns NaN if there are no requests.
   */
  quantileMs(share: number): number {
    return quantile(this.#timesMs, share);
  }
}

/** An outcome, such as `503 unavailable`, and the number of requests that had it. */
export interface Outcome {
  readonly outcome: string;
  readonly count: number;
}

/** Returns outcomes as text, such as: 200 × `200`, 3 × `503 unavailable` */
export function showOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ outcome, count }) => `${count} × \`${outcome}\``).join(', ') || 'none';
}
