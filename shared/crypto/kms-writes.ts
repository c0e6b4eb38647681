import { setTimeout as rest } from 'node:timers/promises';
import type { TenantId } from '../base/ids.ts';
import { type Refill, TokenBuckets } from '../base/token-buckets.ts';
import { ApiError } from '../errors.ts';

const MINUTE_MS = 60_000;
/** The one owner of what all tenants share. */
const ALL = 'all';

interface Buckets {
  readonly all: TokenBuckets;
  readonly tenants: TokenBuckets;
}

/**
 * What this process may write to the KMS, whose quota for that is small and the project's: making a CryptoKey, making a
 * version and destroying one are a write each. In no minute is it more than `perMinute`: half of it may be used at once,
 * half comes back over the minute. A tenant may use half of either, so that there is always room for another.
 */
export class KmsWrites {
  readonly #buckets: Buckets | undefined;

  /** Without `perMinute` nothing is limited. */
  constructor(perMinute: number | undefined, monotonicMs?: () => number) {
    if (perMinute === undefined) return;
    const all = new TokenBuckets(refillOf(perMinute), monotonicMs);
    this.#buckets = { all, tenants: new TokenBuckets(refillOf(perMinute / 2), monotonicMs) };
  }

  /** Takes the writes that a change of a tenant needs. Throws `unavailable`, and takes none, where there are not so many. */
  take(tenantId: TenantId, count: number): void {
    if (this.#buckets === undefined || count === 0) return;
    const { all, tenants } = this.#buckets;
    if (tenants.waitMs(tenantId, count) > 0) {
      throw new ApiError('unavailable', 'this tenant has changed too many keys in the kms within a minute');
    }
    if (!all.take(ALL, count))
      throw new ApiError('unavailable', 'too many keys were changed in the kms within a minute');
    tenants.take(tenantId, count);
  }

  /** Takes a write as soon as there is one; `false` when that would be after `giveUpAt`, a time of the monotonic clock. */
  async takeInTime(giveUpAt: number): Promise<boolean> {
    if (this.#buckets === undefined) return true;
    const { all } = this.#buckets;
    while (!all.take(ALL)) {
      const waitMs = Math.ceil(all.waitMs(ALL));
      if (performance.now() + waitMs > giveUpAt) return false;
      await rest(waitMs);
    }
    return true;
  }
}

/** Half of what a minute allows at once, and as much again over the minute. */
function refillOf(perMinute: number): Refill {
  return { capacityMs: MINUTE_MS, tokenMs: (2 * MINUTE_MS) / perMinute };
}
