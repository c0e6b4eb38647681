/** Tokens a bucket holds, and tokens it regains in a second. */
const CAPACITY = 100;
const TOKENS_PER_MS = CAPACITY / 1000;
/** Full buckets are forgotten once there are this many. */
const SWEEP_AT = 10_000;

interface Bucket {
  tokens: number;
  /** Milliseconds of the process's monotonic clock. */
  at: number;
}

/** One token bucket per API key or console user, in this process. Runs on monotonic time: moving the clock refills nothing. */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Takes a token from the bucket of `owner`; `false`, and nothing taken, when none is left. */
  take(owner: string): boolean {
    const now = this.#monotonicMs();
    const bucket = this.#buckets.get(owner) ?? this.#open(owner, now);
    bucket.tokens = regained(bucket, now);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #open(owner: string, now: number): Bucket {
    if (this.#buckets.size >= SWEEP_AT) this.#forgetFull(now);
    const bucket = { tokens: CAPACITY, at: now };
    this.#buckets.set(owner, bucket);
    return bucket;
  }

  #forgetFull(now: number): void {
    for (const [owner, bucket] of this.#buckets) if (regained(bucket, now) >= CAPACITY) this.#buckets.delete(owner);
  }
}

function regained(bucket: Bucket, now: number): number {
  return Math.min(CAPACITY, bucket.tokens + (now - bucket.at) * TOKENS_PER_MS);
}
