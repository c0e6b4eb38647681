import type { TokenBuckets } from './token-buckets.ts';

/** The owner of a bucket that all owners share. */
export const ALL = 'all';
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

/** The buckets that a request takes tokens from. Each must have enough. */
export interface Kind {
  readonly name: string;
  /** The bucket of the request's owner, if owners have a share. */
  readonly perOwner?: TokenBuckets;
  /** The buckets of all owners. */
  readonly shared: readonly TokenBuckets[];
}

export interface Wanted {
  readonly owner: string;
  readonly kind: Kind;
  readonly count: number;
  readonly waitMs: number;
  /** Makes the error. `isOwnShare` is `true` if the owner's own bucket has too few tokens. */
  readonly refuse: (isOwnShare: boolean) => Error;
}

interface Waiting extends Wanted {
  readonly giveUpAt: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

interface Lack {
  readonly readyAt: number;
  /** The shared bucket with too few tokens. Requests that come later in turn must not take its tokens. */
  readonly awaits?: TokenBuckets;
  readonly isOwnShare?: true;
}

/**
 * Gives out tokens. Requests that must wait take turns by owner: next is the owner that has taken the fewest tokens
 * lately. So an owner that takes less than an equal share never waits behind owners that take more.
 */
export class Rate {
  readonly #memoryMs: number;
  readonly #time: Time;
  /** The waiting requests, by owner and kind. */
  readonly #lines = new Map<string, Set<Waiting>>();
  /** The recent use of each owner, in the order in which they took tokens. */
  readonly #used = new Map<string, { readonly tokens: number; readonly at: number }>();
  #wakesAt = Number.POSITIVE_INFINITY;

  /**
   * `memoryMs` is the time in which a use loses most of its weight. If it is longer than the wait, owners that had been
   * idle can delay the others for longer than these wait.
   */
  constructor(memoryMs: number, time: Time = MONOTONIC) {
    this.#memoryMs = memoryMs;
    this.#time = time;
  }

  /** Takes tokens in the owner's turn. Throws `refuse()` after `waitMs`, or earlier if the wait would be longer. */
  take(wanted: Wanted): Promise<void> {
    const name = lineOf(wanted);
    const line = this.#lines.get(name) ?? new Set();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#lines.set(name, line.add({ ...wanted, giveUpAt: this.#time.nowMs() + wanted.waitMs, resolve, reject }));
    if (line.size === 1) this.#serve();
    return promise;
  }

  /** Gives back tokens that were taken but not used. */
  giveBack({ owner, kind: { perOwner, shared }, count }: Omit<Wanted, 'waitMs' | 'refuse'>): void {
    perOwner?.giveBack(owner, count);
    for (const buckets of shared) buckets.giveBack(ALL, count);
    this.#noteUse(owner, -count);
    this.#serve();
  }

  #serve(): void {
    while (this.#serveNext());
  }

  /** Serves or refuses one request. If no request is ready, plans the next attempt and returns `false`. */
  #serveNext(): boolean {
    const now = this.#time.nowMs();
    const awaited = new Set<TokenBuckets>();
    let wakesAt = Number.POSITIVE_INFINITY;
    for (const first of this.#firstInTurn(now)) {
      const lack = findLack(first, awaited, now);
      if (lack === undefined) {
        this.#leave(first);
        takeNow(first);
        this.#noteUse(first.owner, first.count);
        first.resolve();
        return true;
      }
      if (lack.readyAt > first.giveUpAt || now >= first.giveUpAt) {
        this.#leave(first);
        first.reject(first.refuse(lack.isOwnShare ?? false));
        return true;
      }
      if (lack.awaits !== undefined) awaited.add(lack.awaits);
      wakesAt = Math.min(wakesAt, lack.readyAt);
    }
    this.#wakeAt(wakesAt, now);
    return false;
  }

  /** Returns the first request of each line, that of the owner with the lowest rate first. */
  #firstInTurn(now: number): Waiting[] {
    const firsts = [...this.#lines.values()].flatMap(([first]) => first ?? []);
    if (firsts.length < 2) return firsts;
    const withRate = firsts.map((first) => ({ first, rate: this.#rateOf(first, now) }));
    return withRate.sort((one, other) => one.rate - other.rate).map(({ first }) => first);
  }

  /** Returns an owner's tokens per `memoryMs`, as if it always took `count` tokens at this level of recent use. */
  #rateOf({ owner, count }: Waiting, now: number): number {
    const use = this.#recentUse(owner, now);
    return use === 0 ? 0 : count / Math.log1p(count / use);
  }

  #leave(first: Waiting): void {
    const name = lineOf(first);
    const line = this.#lines.get(name);
    line?.delete(first);
    if (line?.size === 0) this.#lines.delete(name);
  }

  #noteUse(owner: string, count: number): void {
    const at = this.#time.nowMs();
    const tokens = Math.max(0, this.#recentUse(owner, at) + count);
    this.#used.delete(owner);
    this.#used.set(owner, { tokens, at });
    const [oldest] = this.#used.keys();
    if (oldest !== undefined && this.#used.size > OWNERS_KEPT) this.#used.delete(oldest);
  }

  #recentUse(owner: string, now: number): number {
    const used = this.#used.get(owner);
    return used === undefined ? 0 : used.tokens * Math.exp((used.at - now) / this.#memoryMs);
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

function lineOf({ owner, kind }: Wanted): string {
  return `${kind.name} ${owner}`;
}

/** Returns what a request lacks, or `undefined` if it can begin. */
function findLack(
  { owner, kind: { perOwner, shared }, count, giveUpAt }: Waiting,
  awaited: ReadonlySet<TokenBuckets>,
  now: number,
): Lack | undefined {
  const ownMs = perOwner?.waitMs(owner, count) ?? 0;
  if (ownMs > 0) return { readyAt: now + ownMs, isOwnShare: true };
  if (shared.some((buckets) => awaited.has(buckets))) return { readyAt: giveUpAt };
  const awaits = shared.find((buckets) => buckets.waitMs(ALL, count) > 0);
  return awaits && { readyAt: now + awaits.waitMs(ALL, count), awaits };
}

function takeNow({ owner, kind: { perOwner, shared }, count }: Waiting): void {
  perOwner?.take(owner, count);
  for (const buckets of shared) buckets.take(ALL, count);
}
