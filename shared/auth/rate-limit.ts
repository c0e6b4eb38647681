/** A bucket holds 100 tokens and regains 100 a second. It is kept in milliseconds of refill, which stay whole numbers: */
const CAPACITY_MS = 1000;
const TOKEN_MS = 10;
/** Full buckets are forgotten once there are this many. */
const SWEEP_AT = 10_000;

interface Bucket {
  /** What is left, in milliseconds of refill. */
  leftMs: number;
  /** Milliseconds of the process's monotonic clock. */
  at: number;
}

/** One token bucket per API key or console user, in this process. Runs on monotonic time: moving the clock refills nothing. */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>();
  readonly #limited: boolean;
  readonly #monotonicMs: () => number;

  /** Where it is not `limited`, every take succeeds: for benchmarks alone. */
  constructor(limited: boolean, monotonicMs: () => number = () => Math.floor(performance.now())) {
    this.#limited = limited;
    this.#monotonicMs = monotonicMs;
  }

  /** Takes a token from the bucket of `owner`; `false`, and nothing taken, when none is left. */
  take(owner: string): boolean {
    if (!this.#limited) return true;
    const now = this.#monotonicMs();
    const bucket = this.#buckets.get(owner) ?? this.#open(owner, now);
    bucket.leftMs = refilled(bucket, now);
    bucket.at = now;
    if (bucket.leftMs < TOKEN_MS) return false;
    bucket.leftMs -= TOKEN_MS;
    return true;
  }

  #open(owner: string, now: number): Bucket {
    if (this.#buckets.size >= SWEEP_AT) this.#forgetFull(now);
    const bucket = { leftMs: CAPACITY_MS, at: now };
    this.#buckets.set(owner, bucket);
    return bucket;
  }

  #forgetFull(now: number): void {
    for (const [owner, bucket] of this.#buckets) if (refilled(bucket, now) >= CAPACITY_MS) this.#buckets.delete(owner);
  }
}

function refilled(bucket: Bucket, now: number): number {
  return Math.min(CAPACITY_MS, bucket.leftMs + (now - bucket.at));
}
