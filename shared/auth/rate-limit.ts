import { type Refill, TokenBuckets } from '../base/token-buckets.ts';

/** Bursts of 100 requests, refilled at 100 a second. */
const REFILL: Refill = { capacityMs: 1000, tokenMs: 10 };

export class RateLimit {
  readonly #buckets: TokenBuckets;

  constructor(monotonicMs?: () => number) {
    this.#buckets = new TokenBuckets(REFILL, monotonicMs);
  }

  take(owner: string): boolean {
    return this.#buckets.take(owner);
  }
}
