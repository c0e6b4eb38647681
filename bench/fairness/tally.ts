import { quantile } from '../statistics.ts';

/** Counts the outcomes of requests, and keeps the time that each took. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #timesMs: number[] = [];

  /** Adds one request. */
  record(outcome: string, tookMs: number): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    this.#timesMs.push(tookMs);
  }

  /** The outcomes with their counts, the most frequent first. */
  get answers(): readonly Outcome[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count })).sort((a, b) => b.count - a.count);
  }

  /** The quantile of the times in milliseconds, such as 0.5 for the median. NaN of none. */
  quantileMs(share: number): number {
    return quantile(this.#timesMs, share);
  }
}

/** An outcome, such as `503 unavailable`, and how many requests had it. */
export interface Outcome {
  readonly outcome: string;
  readonly count: number;
}

/** A line such as `200 × 200, 3 × 503 unavailable`. */
export function showOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ outcome, count }) => `${count} × \`${outcome}\``).join(', ') || 'none';
}
