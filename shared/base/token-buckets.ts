const SWEEP_AT = 10_000;

interface Bucket {
  /** The tokens left, in milliseconds of refilling. Negative if more tokens were taken than were left. */
  leftMs: number;
  at: number;
}

export interface Refill {
  /** The milliseconds in which an empty bucket is filled. */
  readonly capacityMs: number;
  /** The milliseconds in which one token is added. */
  readonly tokenMs: number;
}

/** A token bucket per owner, kept in memory. A new bucket is full. */
export class TokenBuckets {
  readonly #refill: Refill;
  readonly #buckets = new Map<string, Bucket>();
  readonly #monotonicMs: () => number;

  constructor(refill: Refill, monotonicMs: () => number = () => Math.floor(performance.now())) {
    this.#refill = refill;
    this.#monotonicMs = monotonicMs;
  }

  /** Takes tokens, or returns `false` if there are too few. From a full bucket, any number can be taken. */
  take(owner: string, count = 1): boolean {
    const now = this.#monotonicMs();
    const bucket = this.#buckets.get(owner) ?? this.#open(owner, now);
    bucket.leftMs = this.#refilled(bucket, now);
    bucket.at = now;
    if (bucket.leftMs < this.#needed(count)) return false;
    bucket.leftMs -= count * this.#refill.tokenMs;
    return true;
  }

  giveBack(owner: string, count: number): void {
    const bucket = this.#buckets.get(owner);
    if (bucket !== undefined) bucket.leftMs += count * this.#refill.tokenMs;
  }

  /** Returns the milliseconds until {@link take} succeeds, if no other call takes tokens first. */
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
