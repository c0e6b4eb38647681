import type { TenantId } from '../base/ids.ts';
import { Rate, type Time, type Tokens } from '../base/rate.ts';
import { ApiError } from '../errors.ts';

const MINUTE_MS = 60_000;

export const KMS_WRITES: Tokens = {
  what: 'KMS writes; a request that fails before the service calls the KMS uses none',
  owner: 'tenant',
  limit: '`KMS_WRITES_PER_MINUTE`; half of it per tenant',
  bound: {
    waitMs: 5_000,
    refuse: (isOwnShare) =>
      new ApiError(
        'unavailable',
        isOwnShare
          ? 'this tenant made too many key changes in the last minute'
          : 'too many key changes in the last minute',
        { reason: 'KMS share used up' },
      ),
  },
};

/** The job takes turns with the tenants. Unlike them, it has no share. */
const JOB = 'job';
const OF_A_CHANGE = ['share', 'all'] as const;

/**
 * Limits KMS writes to `perMinute` in any minute. At most half may be sent at once, and at most half by a tenant. If
 * too few are free, changes wait in their tenant's turn.
 */
export class KmsWrites {
  readonly #rate: Rate<'share' | 'all'> | undefined;

  constructor(perMinute: number | undefined, time?: Time) {
    if (perMinute === undefined) return;
    // Half of a minute's writes are in the bucket, and the other half is refilled in the minute.
    const refill = (rate: number, perOwner: boolean) => ({
      capacityMs: MINUTE_MS,
      tokenMs: (2 * MINUTE_MS) / rate,
      perOwner,
    });
    this.#rate = new Rate(KMS_WRITES, { share: refill(perMinute / 2, true), all: refill(perMinute, false) }, time);
  }

  /** Takes all writes of a change together. Throws `unavailable` if too few are free within five seconds. */
  async take(tenantId: TenantId, count: number): Promise<void> {
    if (count > 0) await this.#rate?.wait(tenantId, OF_A_CHANGE, count);
  }

  /** Takes the writes of a change like {@link take}, and begins it. If it cannot begin, gives the writes back. */
  async takeFor<T>(tenantId: TenantId, count: number, begin: () => Promise<T>): Promise<T> {
    await this.take(tenantId, count);
    try {
      return await begin();
    } catch (error) {
      this.#rate?.giveBack(tenantId, OF_A_CHANGE, count);
      throw error;
    }
  }

  /** Waits for a write and takes it. Returns `false` if none is free before `giveUpAt` (`performance.now()`). */
  async takeInTime(giveUpAt: number): Promise<boolean> {
    const taken = this.#rate?.wait(JOB, ['all'], 1, giveUpAt - performance.now());
    return (
      taken?.then(
        () => true,
        () => false,
      ) ?? true
    );
  }
}
