import type { TenantId } from '../base/ids.ts';
import { type Kind, MONOTONIC, Rate, type Time } from '../base/rate.ts';
import { TokenBuckets } from '../base/token-buckets.ts';
import { ApiError } from '../errors.ts';

const SECOND_MS = 1_000;
const WAIT_MS = 250;

/** The share of operations for keys that are CryptoKeys. The rest is reserved for data keys. */
const OWN_KEYS = 250 / 300;

/**
 * Limits this process's `encrypt` and `decrypt` calls to its part of the quota. A tenant may use half of them. If none
 * is free, calls wait in their tenant's turn.
 */
export class KmsOperations {
  readonly #rate: Rate;
  readonly #kinds: Readonly<Record<'ownKey' | 'dataKey', Kind>> | undefined;

  constructor(perSecond: number | undefined, time: Time = MONOTONIC) {
    this.#rate = new Rate(WAIT_MS, time);
    if (perSecond === undefined) return;
    const bucketsOf = (rate: number) =>
      new TokenBuckets({ capacityMs: SECOND_MS, tokenMs: SECOND_MS / rate }, time.nowMs);
    const [perOwner, all] = [bucketsOf(perSecond / 2), bucketsOf(perSecond)];
    this.#kinds = {
      ownKey: { name: 'own key', perOwner, shared: [bucketsOf(perSecond * OWN_KEYS), all] },
      dataKey: { name: 'data key', perOwner, shared: [all] },
    };
  }

  /** Takes an operation for a key that is a CryptoKey. Throws `unavailable` if none is free within 250 ms. */
  takeForOwnKey(tenantId: TenantId): Promise<void> {
    return this.#take(tenantId, this.#kinds?.ownKey);
  }

  /** Takes an operation for a data key. Throws `unavailable` if none is free within 250 ms. */
  takeForDataKey(tenantId: TenantId): Promise<void> {
    return this.#take(tenantId, this.#kinds?.dataKey);
  }

  async #take(owner: TenantId, kind: Kind | undefined): Promise<void> {
    if (kind !== undefined) await this.#rate.take({ owner, kind, count: 1, waitMs: WAIT_MS, refuse });
  }
}

function refuse(isOwnShare: boolean): ApiError {
  return new ApiError(
    'unavailable',
    isOwnShare ? 'this tenant has used up its share of kms operations for now' : 'too many kms operations at once',
  );
}
