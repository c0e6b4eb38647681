/** Full buckets are forgotten once there are this many. */
const SWEEP_AT = 10_000;

interface Bucket {
  /** What is left, in milliseconds of refill; less than none while a debt is worked off. */
  leftMs: number;
  /** Milliseconds of the process's monotonic clock. */
  at: number;
}

/** How much a bucket holds when it is full, and how long a token takes to come back, in milliseconds of refill. */
export interface Refill {
  readonly capacityMs: number;
  readonly tokenMs: number;
}

/**
 * A token bucket for each owner, in this process: full at first, refilled evenly. Runs on monotonic time: moving the clock
 * refills nothing. Kept in milliseconds of refill, which stay whole numbers where a token takes a whole number of them.
 */
export class TokenBuckets {
  readonly #refill: Refill;
  readonly #buckets = new Map<string, Bucket>();
  readonly #monotonicMs: () => number;

  constructor(refill: Refill, monotonicMs: () => number = () => Math.floor(performance.now())) {
    this.#refill = refill;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Takes tokens from the bucket of `owner`; `false`, and nothing taken, when there are not so many. Of more than a bucket
   * holds a full one is enough: the rest is owed.
   */
  take(owner: string, count = 1): boolean {
    const now = this.#monotonicMs();
    const bucket = this.#buckets.get(owner) ?? this.#open(owner, now);
    bucket.leftMs = this.#refilled(bucket, now);
    bucket.at = now;
    if (bucket.leftMs < this.#needed(count)) return false;
    bucket.leftMs -= count * this.#refill.tokenMs;
    return true;
  }

  /** The milliseconds until {@link take} would succeed, if nobody takes anything before: 0 when it would now. */
  waitMs(owner: string, count = 1): number {
    const bucket = this.#buckets.get(owner);
    return bucket === undefined ? 0 : Math.max(0, this.#needed(count) - this.#refilled(bucket, this.#monotonicMs()));
  }

  #needed(count: number): number {
    return Math.min(count * this.#refill.tokenMs, this.#refill.capacityMs);
  }

  #refilled({ leftMs, at }: Bucket, now: number): number {
    return Math.min(this.#refill.capacityMs, leftMs + (now - at));
  }

  #open(owner: string, now: number): Bucket {
    if (this.#buckets.size >= SWEEP_AT) this.#forgetFull(now);
    const bucket = { leftMs: this.#refill.capacityMs, at: now };
    this.#buckets.set(owner, bucket);
    return bucket;
  }

  #forgetFull(now: number): void {
    for (const [owner, bucket] of this.#buckets) {
      if (this.#refilled(bucket, now) >= this.#refill.capacityMs) this.#buckets.delete(owner);
    }
  }
}
