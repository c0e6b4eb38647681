import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '../base/ids.ts';
import { type Refill, TokenBuckets } from '../base/token-buckets.ts';
import { takeFromEach } from './take-from-each.ts';

const MINUTE_MS = 60_000;
const ALL = 'all';

interface Buckets {
  readonly all: TokenBuckets;
  readonly tenants: TokenBuckets;
}

/** Limits KMS writes to `perMinute` in any minute. At most half may be sent at once, and at most half by a tenant. */
export class KmsWrites {
  readonly #buckets: Buckets | undefined;

  constructor(perMinute: number | undefined, monotonicMs?: () => number) {
    if (perMinute === undefined) return;
    const all = new TokenBuckets(refillOf(perMinute), monotonicMs);
    this.#buckets = { all, tenants: new TokenBuckets(refillOf(perMinute / 2), monotonicMs) };
  }

  /** Takes all writes that a change needs. If too few are left, takes none and throws `unavailable`. */
  take(tenantId: TenantId, count: number): void {
    if (this.#buckets === undefined || count === 0) return;
    const { all, tenants } = this.#buckets;
    takeFromEach(count, [
      { buckets: tenants, owner: tenantId, message: 'this tenant made too many key changes in the last minute' },
      { buckets: all, owner: ALL, message: 'too many key changes in the last minute' },
    ]);
  }

  /** Waits for a write and takes it. Returns `false` if none is free before `giveUpAt` (`performance.now()`). */
  async takeInTime(giveUpAt: number): Promise<boolean> {
    if (this.#buckets === undefined) return true;
    const { all } = this.#buckets;
    while (!all.take(ALL)) {
      const waitMs = Math.ceil(all.waitMs(ALL));
      if (performance.now() + waitMs > giveUpAt) return false;
      await sleep(waitMs);
    }
    return true;
  }
}

function refillOf(perMinute: number): Refill {
  return { capacityMs: MINUTE_MS, tokenMs: (2 * MINUTE_MS) / perMinute };
}
