import { setTimeout as pause } from 'node:timers/promises';
import type { HttpRequest } from '../load.ts';
import { quantile } from '../table.ts';
import type { Tenant } from '../tenant.ts';

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

/** Repeats `work` until the signal aborts. Each run starts after the previous run has ended. */
export async function repeat(stopped: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopped.aborted) {
    // Pauses for at least 1 ms. Otherwise requests that are refused immediately would keep this process busy.
    await Promise.all([work(), pause(1)]);
  }
}

/**
 * Calls `start` at a fixed interval until the signal aborts. Does not wait for the started work to end. `n` counts the
 * calls from 0.
 */
export async function atInterval(ms: number, stopped: AbortSignal, start: (n: number) => unknown): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; !stopped.aborted; n++) {
    start(n);
    await pause(Math.max(0, startedAt + (n + 1) * ms - performance.now()));
  }
}

/** Calls `work` in parallel, with `n` from 0 to `count` - 1. Returns all results. */
export function inParallel<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}

export interface Attacker {
  readonly tenant: Tenant;
  /** Makes another tenant, which takes part in the attack. */
  makeAccomplice(): Promise<Tenant>;
  readonly url: string;
  /** The address of the Firestore emulator, as host:port. */
  readonly firestore: string;
  /** The signal that aborts when the attack must end. */
  readonly stopped: AbortSignal;
  /** Counts the answers to the attacker. */
  readonly tally: Tally;
  /** Sends a request and counts its answer. */
  send(request: HttpRequest): Promise<void>;
  /** Sends a request of a workload that the attack must not harm. Counts its answer apart from the attacker's. */
  sendAsVictim(request: HttpRequest): Promise<void>;
}

/** An attack by one tenant with or without accomplices, or by someone without an API key. */
export interface Attack {
  readonly name: string;
  /** A description of the requests, for the table. */
  readonly sends: string;
  /** How many times longer than usual the attack lasts, if its effect takes time to show. */
  readonly durationFactor?: number;
  /** Prepares the attack. Resolves to a function that sends requests until the signal `stopped` aborts. */
  prepare(attacker: Attacker): Promise<() => Promise<unknown>>;
}
