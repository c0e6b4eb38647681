import type { TenantId } from '../base/ids.ts';
import { Rate, type Time, type Tokens } from '../base/rate.ts';
import { ApiError } from '../errors.ts';

const SECOND_MS = 1_000;

export const KMS_OPERATIONS: Tokens = {
  what: 'KMS operations; each value of a Transit batch waits separately',
  owner: 'tenant',
  limit: '`KMS_OPERATIONS_PER_SECOND`; half of it per tenant; for `software` and `hsm` keys five sixths of it',
  bound: {
    waitMs: 250,
    refuse: (isOwnShare) =>
      new ApiError(
        'unavailable',
        isOwnShare ? 'this tenant has used up its share of kms operations for now' : 'too many kms operations at once',
        { reason: 'KMS share used up' },
      ),
  },
};

/** The share of operations for keys that are CryptoKeys. The rest is reserved for data keys. */
const OWN_KEYS = 250 / 300;

/**
 * Limits this process's `encrypt` and `decrypt` calls to its part of the quota. A tenant may use half of them. If none
 * is free, calls wait in their tenant's turn.
 */
export class KmsOperations {
  readonly #rate: Rate<'share' | 'ownKeys' | 'all'> | undefined;

  constructor(perSecond: number | undefined, time?: Time) {
    if (perSecond === undefined) return;
    const refill = (rate: number, perOwner: boolean) => ({
      capacityMs: SECOND_MS,
      tokenMs: SECOND_MS / rate,
      perOwner,
    });
    this.#rate = new Rate(
      KMS_OPERATIONS,
      {
        share: refill(perSecond / 2, true),
        ownKeys: refill(perSecond * OWN_KEYS, false),
        all: refill(perSecond, false),
      },
      time,
    );
  }

  /** Takes an operation for a key that is a CryptoKey. Throws `unavailable` if none is free within 250 ms. */
  async takeForOwnKey(tenantId: TenantId): Promise<void> {
    await this.#rate?.wait(tenantId, ['share', 'ownKeys', 'all']);
  }

  /** Takes an operation for a data key. Throws `unavailable` if none is free within 250 ms. */
  async takeForDataKey(tenantId: TenantId): Promise<void> {
    await this.#rate?.wait(tenantId, ['share', 'all']);
  }
}
