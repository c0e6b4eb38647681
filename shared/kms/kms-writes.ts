import type { TenantId } from '../base/ids.ts';
import { type Kind, MONOTONIC, Rate, type Time } from '../base/rate.ts';
import { TokenBuckets } from '../base/token-buckets.ts';
import { ApiError } from '../errors.ts';

const MINUTE_MS = 60_000;
const WAIT_MS = 5_000;
/** Takes turns with the tenants. Unlike them, has no bucket. */
const JOB = 'job';

/**
 * Limits KMS writes to `perMinute` in any minute. At most half may be sent at once, and at most half by a tenant. If
 * too few are free, changes wait in their tenant's turn.
 */
export class KmsWrites {
  readonly #rate: Rate;
  readonly #kinds: Readonly<Record<'change' | 'job', Kind>> | undefined;

  constructor(perMinute: number | undefined, time: Time = MONOTONIC) {
    this.#rate = new Rate(WAIT_MS, time);
    if (perMinute === undefined) return;
    // Half of a minute's writes are in the bucket, and the other half is refilled in the minute.
    const bucketsOf = (rate: number) =>
      new TokenBuckets({ capacityMs: MINUTE_MS, tokenMs: (2 * MINUTE_MS) / rate }, time.nowMs);
    const shared = [bucketsOf(perMinute)];
    this.#kinds = {
      change: { name: 'change', perOwner: bucketsOf(perMinute / 2), shared },
      job: { name: JOB, shared },
    };
  }

  /** Takes all writes of a change together. Throws `unavailable` if too few are free within five seconds. */
  async take(tenantId: TenantId, count: number): Promise<void> {
    if (this.#kinds === undefined || count === 0) return;
    await this.#rate.take({ owner: tenantId, kind: this.#kinds.change, count, waitMs: WAIT_MS, refuse });
  }

  /** Takes the writes of a change like {@link take}, and begins it. If it cannot begin, gives the writes back. */
  async takeFor<T>(tenantId: TenantId, count: number, begin: () => Promise<T>): Promise<T> {
    await this.take(tenantId, count);
    try {
      return await begin();
    } catch (error) {
      if (this.#kinds !== undefined) this.#rate.giveBack({ owner: tenantId, kind: this.#kinds.change, count });
      throw error;
    }
  }

  /** Waits for a write and takes it. Returns `false` if none is free before `giveUpAt` (`performance.now()`). */
  async takeInTime(giveUpAt: number): Promise<boolean> {
    if (this.#kinds === undefined) return true;
    const late = refuse(false);
    try {
      const waitMs = giveUpAt - performance.now();
      await this.#rate.take({ owner: JOB, kind: this.#kinds.job, count: 1, waitMs, refuse: () => late });
      return true;
    } catch (error) {
      if (error !== late) throw error;
      return false;
    }
  }
}

function refuse(isOwnShare: boolean): ApiError {
  return new ApiError(
    'unavailable',
    isOwnShare ? 'this tenant made too many key changes in the last minute' : 'too many key changes in the last minute',
  );
}
