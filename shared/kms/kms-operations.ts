import type { TenantId } from '../base/ids.ts';
import { type Refill, TokenBuckets } from '../base/token-buckets.ts';
import { takeFromEach } from './take-from-each.ts';

const SECOND_MS = 1_000;
const ALL = 'all';

/** The share of operations for keys that are CryptoKeys. The rest is reserved for data keys. */
const OWN_KEYS = 250 / 300;

interface Buckets {
  readonly all: TokenBuckets;
  readonly ownKeys: TokenBuckets;
  readonly tenants: TokenBuckets;
}

/** Limits this process's `encrypt` and `decrypt` calls to its part of the quota. A tenant may use half of them. */
export class KmsOperations {
  readonly #buckets: Buckets | undefined;

  constructor(perSecond: number | undefined, monotonicMs?: () => number) {
    if (perSecond === undefined) return;
    this.#buckets = {
      all: new TokenBuckets(refillOf(perSecond), monotonicMs),
      ownKeys: new TokenBuckets(refillOf(perSecond * OWN_KEYS), monotonicMs),
      tenants: new TokenBuckets(refillOf(perSecond / 2), monotonicMs),
    };
  }

  /** Takes one operation for a key that is a CryptoKey. Throws `unavailable` if none is left. */
  takeForOwnKey(tenantId: TenantId): void {
    if (this.#buckets === undefined) return;
    const { all, ownKeys, tenants } = this.#buckets;
    takeFromEach(1, [ofTenant(tenants, tenantId), ofAll(ownKeys), ofAll(all)]);
  }

  /** Takes one operation for a data key. Throws `unavailable` if none is left. */
  takeForDataKey(tenantId: TenantId): void {
    if (this.#buckets === undefined) return;
    const { all, tenants } = this.#buckets;
    takeFromEach(1, [ofTenant(tenants, tenantId), ofAll(all)]);
  }
}

function ofTenant(buckets: TokenBuckets, owner: TenantId) {
  return { buckets, owner, message: 'this tenant has used up its share of kms operations for now' };
}

function ofAll(buckets: TokenBuckets) {
  return { buckets, owner: ALL, message: 'too many kms operations at once' };
}

function refillOf(perSecond: number): Refill {
  return { capacityMs: SECOND_MS, tokenMs: SECOND_MS / perSecond };
}
