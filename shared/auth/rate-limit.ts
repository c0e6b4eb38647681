import { type Refill, TokenBuckets } from '../base/token-buckets.ts';

/** A bucket holds 100 tokens and regains 100 a second. */
const REFILL: Refill = { capacityMs: 1000, tokenMs: 10 };

/** One token bucket per API key or console user, in this process. Runs on monotonic time: moving the clock refills nothing. */
export class RateLimit {
  readonly #buckets: TokenBuckets;
  readonly #limited: boolean;

  /** Where it is not `limited`, every take succeeds: for benchmarks alone. */
  constructor(limited: boolean, monotonicMs?: () => number) {
    this.#limited = limited;
    this.#buckets = new TokenBuckets(REFILL, monotonicMs);
  }

  /** Takes a token from the bucket of `owner`; `false`, and nothing taken, when none is left. */
  take(owner: string): boolean {
    return !this.#limited || this.#buckets.take(owner);
  }
}
