import { type Refill, TokenBuckets } from '../base/token-buckets.ts';

/** Allows bursts of 100 requests, and 100 requests a second. */
const REFILL: Refill = { capacityMs: 1000, tokenMs: 10 };

export class RateLimit {
  readonly #buckets: TokenBuckets;

  constructor(monotonicMs?: () => number) {
    this.#buckets = new TokenBuckets(REFILL, monotonicMs);
  }

  /** Takes one token from the bucket of an API key or a person. Returns `false` if the bucket is empty. */
  take(owner: string): boolean {
    return this.#buckets.take(owner);
  }
}
