/** The kinds of round trips that a process makes. */
export type RoundTrip = 'read' | 'query' | 'commit' | 'transaction' | 'decision' | 'kms';

/** How many round trips of each kind a process has made for operations: a figure for operators and benchmarks, nothing decides on it. */
export class RoundTrips {
  readonly counts: Record<RoundTrip, number> = { read: 0, query: 0, commit: 0, transaction: 0, decision: 0, kms: 0 };

  /** Counts one. */
  add(trip: RoundTrip): void {
    this.counts[trip]++;
  }
}
