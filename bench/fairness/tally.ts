/** What requests were answered: how many with which outcome, and how long each took. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #timesMs: number[] = [];

  /** Counts one answer, and the milliseconds to it. */
  note(outcome: string, tookMs: number): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    this.#timesMs.push(tookMs);
  }

  /** How many with which outcome, the most frequent first. */
  get answers(): readonly Outcome[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count })).sort((a, b) => b.count - a.count);
  }

  /** The time within which that share was answered, in milliseconds. */
  within(share: number): number {
    const sorted = this.#timesMs.toSorted((a, b) => a - b);
    return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  }
}

/** How many had it. */
export interface Outcome {
  readonly outcome: string;
  readonly count: number;
}

/** As in `200 × 200, 3 × 503 unavailable`. */
export function showOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ outcome, count }) => `${count} × \`${outcome}\``).join(', ') || 'none';
}
