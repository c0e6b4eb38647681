const BUCKETS_KEPT = 10_000;
const OWNERS_KEPT = 10_000;

export interface Time {
  nowMs(): number;
  /** Calls `wake` after `ms` milliseconds. */
  after(ms: number, wake: () => void): void;
}

export const MONOTONIC: Time = {
  nowMs: () => Math.floor(performance.now()),
  after: (ms, wake) => void setTimeout(wake, ms),
};

/** What takes tokens, for the docs, and how long it waits for them. */
export interface Tokens {
  readonly what: string;
  /** Whose requests take turns. */
  readonly owner: string;
  /** How many tokens there are. */
  readonly limit: string;
  /** If missing, requests wait for any time. */
  readonly bound?: {
    readonly waitMs: number;
    /** Makes the error after a wait. `isOwnShare` is `true` if the owner's own tokens are used up. */
    readonly refuse: (isOwnShare: boolean) => Error;
  };
}

/** How tokens are added to a bucket. A new bucket is full. */
interface Refill {
  /** The milliseconds in which an empty bucket is filled. */
  readonly capacityMs: number;
  /** The milliseconds in which one token is added. */
  readonly tokenMs: number;
  /** Whether each owner has a bucket. Otherwise, all share one. */
  readonly perOwner: boolean;
}

interface Bucket<Pool> {
  readonly pool: Pool;
  /** The tokens left, in milliseconds of refilling. Negative if more tokens were taken than were left. */
  readonly leftMs: number;
  readonly at: number;
}

interface Ask<Pool> {
  readonly owner: string;
  /** Each must have enough tokens. */
  readonly pools: readonly Pool[];
  readonly count: number;
}

interface Waiting<Pool> extends Ask<Pool> {
  readonly giveUpAt: number;
  readonly resolve: () => void;
  readonly refuse: (isOwnShare: boolean) => void;
}

/** Returns one bucket for all owners, with a burst of ten seconds. */
export function perMinute(tokens: number): { readonly all: Refill } {
  return { all: { capacityMs: 10_000, tokenMs: 60_000 / tokens, perOwner: false } };
}

/**
 * Gives out tokens from pools of buckets, kept in memory. Requests that must wait take turns by owner: next is the owner
 * that has taken the fewest tokens lately. So an owner that takes less than an equal share never waits behind owners
 * that take more.
 */
export class Rate<Pool extends string> {
  readonly #bound: Tokens['bound'];
  readonly #refills: Readonly<Record<Pool, Refill>>;
  readonly #time: Time;
  readonly #buckets = new Map<string, Bucket<Pool>>();
  /** The waiting requests, by owner and pools. */
  readonly #lines = new Map<string, Set<Waiting<Pool>>>();
  /** The recent use of each owner, in the order in which they took tokens. */
  readonly #used = new Map<string, { readonly tokens: number; readonly at: number }>();
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor({ bound }: Tokens, refills: Readonly<Record<Pool, Refill>>, time: Time = MONOTONIC) {
    this.#bound = bound;
    this.#refills = refills;
    this.#time = time;
  }

  /** Takes tokens without waiting, or returns `false` if there are too few. A full bucket gives any number of them. */
  take(owner: string, pools: readonly Pool[], count = 1): boolean {
    const now = this.#time.nowMs();
    if (pools.some((pool) => this.#missingMs(pool, owner, count, now) > 0)) return false;
    this.#spend({ owner, pools, count }, now);
    return true;
  }

  /**
   * Takes tokens in the owner's turn. Throws the error of `bound` after `waitMs`, or earlier if the wait would be longer.
   */
  wait(
    owner: string,
    pools: readonly Pool[],
    count = 1,
    waitMs = this.#bound?.waitMs ?? Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (isOwnShare: boolean) => reject(this.#bound?.refuse(isOwnShare));
    const asked = { owner, pools, count, giveUpAt: this.#time.nowMs() + waitMs, resolve, refuse };
    const line = this.#lines.get(lineOf(asked)) ?? new Set();
    this.#lines.set(lineOf(asked), line.add(asked));
    if (line.size === 1) this.#serve();
    return promise;
  }

  /** Gives back tokens that were taken but not used. */
  giveBack(owner: string, pools: readonly Pool[], count: number): void {
    const now = this.#time.nowMs();
    this.#spend({ owner, pools, count: -count }, now);
    this.#noteUse(owner, -count, now);
    this.#serve();
  }

  #serve(): void {
    while (this.#serveNext());
  }

  /** Serves or refuses one request. If no request is ready, plans the next attempt and returns `false`. */
  #serveNext(): boolean {
    const now = this.#time.nowMs();
    // Requests that come later in turn must not take the tokens for which an earlier one waits.
    const awaited = new Set<Pool>();
    let wakesAt = Number.POSITIVE_INFINITY;
    for (const first of this.#firstInTurn(now)) {
      const { owner, pools, count, giveUpAt } = first;
      const missing = (pool: Pool) =>
        awaited.has(pool) ? Math.max(1, giveUpAt - now) : this.#missingMs(pool, owner, count, now);
      const short = pools.find((pool) => missing(pool) > 0);
      if (short === undefined) {
        this.#leave(first);
        this.#spend(first, now);
        this.#noteUse(owner, count, now);
        first.resolve();
        return true;
      }
      const readyAt = now + missing(short);
      const isOwnShare = this.#refills[short].perOwner;
      if (readyAt > giveUpAt || now >= giveUpAt) {
        this.#leave(first);
        first.refuse(isOwnShare);
        return true;
      }
      if (!isOwnShare) awaited.add(short);
      wakesAt = Math.min(wakesAt, readyAt);
    }
    this.#wakeAt(wakesAt, now);
    return false;
  }

  /** Returns the first request of each line, that of the owner with the least recent use first. */
  #firstInTurn(now: number): Waiting<Pool>[] {
    const firsts = [...this.#lines.values()].flatMap(([first]) => first ?? []);
    const withUse = firsts.map((first) => ({ first, use: this.#recentUse(first.owner, now) + first.count / 2 }));
    return withUse.sort((one, other) => one.use - other.use).map(({ first }) => first);
  }

  #leave(first: Waiting<Pool>): void {
    const line = this.#lines.get(lineOf(first));
    line?.delete(first);
    if (line?.size === 0) this.#lines.delete(lineOf(first));
  }

  #missingMs(pool: Pool, owner: string, count: number, now: number): number {
    const { capacityMs, tokenMs } = this.#refills[pool];
    return (
      Math.min(count * tokenMs, capacityMs) - this.#leftMs(pool, this.#buckets.get(this.#nameOf(pool, owner)), now)
    );
  }

  #leftMs(pool: Pool, bucket: Bucket<Pool> | undefined, now: number): number {
    const { capacityMs } = this.#refills[pool];
    return bucket === undefined ? capacityMs : Math.min(capacityMs, bucket.leftMs + now - bucket.at);
  }

  #nameOf(pool: Pool, owner: string): string {
    return this.#refills[pool].perOwner ? `${pool} ${owner}` : pool;
  }

  #spend({ owner, pools, count }: Ask<Pool>, now: number): void {
    for (const pool of pools) {
      const name = this.#nameOf(pool, owner);
      const bucket = this.#buckets.get(name);
      if (bucket === undefined && this.#buckets.size >= BUCKETS_KEPT) this.#forgetFull(now);
      const leftMs = this.#leftMs(pool, bucket, now) - count * this.#refills[pool].tokenMs;
      this.#buckets.set(name, { pool, leftMs, at: now });
    }
  }

  #forgetFull(now: number): void {
    for (const [name, bucket] of this.#buckets) {
      if (this.#leftMs(bucket.pool, bucket, now) >= this.#refills[bucket.pool].capacityMs) this.#buckets.delete(name);
    }
  }

  #noteUse(owner: string, count: number, now: number): void {
    const tokens = Math.max(0, this.#recentUse(owner, now) + count);
    this.#used.delete(owner);
    this.#used.set(owner, { tokens, at: now });
    const [oldest] = this.#used.keys();
    if (oldest !== undefined && this.#used.size > OWNERS_KEPT) this.#used.delete(oldest);
  }

  /** Returns the tokens that an owner took, of which two thirds are forgotten in the time that a request may wait. */
  #recentUse(owner: string, now: number): number {
    const used = this.#used.get(owner);
    return used === undefined
      ? 0
      : used.tokens * Math.exp((used.at - now) / (this.#bound?.waitMs ?? Number.POSITIVE_INFINITY));
  }

  #wakeAt(at: number, now: number): void {
    if (at >= this.#wakesAt) return;
    this.#wakesAt = at;
    this.#time.after(Math.max(1, Math.ceil(at - now)), () => {
      // An earlier attempt may have replaced this one.
      if (this.#wakesAt !== at) return;
      this.#wakesAt = Number.POSITIVE_INFINITY;
      this.#serve();
    });
  }
}

function lineOf<Pool>({ owner, pools }: Ask<Pool>): string {
  return `${pools} ${owner}`;
}
