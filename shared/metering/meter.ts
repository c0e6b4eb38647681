import { type Clock, viewInstant } from '../base/clock.ts';
import { type Month, nextMonthStart } from '../base/month.ts';
import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Reader } from '../store/store.ts';
import { TIER } from '../tiers.ts';
import { readCount } from './counter.ts';
import type { Standing } from './standing.ts';

/** An operation before it is counted. */
export interface Metered {
  readonly clock: Clock;
  readonly standing: Standing;
  readonly reads: Reader;
  readonly key: Key;
  /** The month in which the operation counts. */
  readonly month: Month;
  /** Whether the operation makes new ciphertext. Decryption is never refused because of billing. */
  readonly makesCiphertext: boolean;
  /** The number of earlier operations of the same request, which are not counted yet. */
  readonly before: number;
}

/** Throws `billing_required` for new ciphertext under a paid key if billing is not in good standing. */
export async function refuseUnpaid({ makesCiphertext, key, standing, reads }: Metered): Promise<void> {
  if (!makesCiphertext || !TIER[key.tier].paid || (await standing.isGood(reads, key.tenant_id))) return;
  throw new ApiError(
    'billing_required',
    "new ciphertext under a paid key needs the tenant's billing in good standing; decrypt and unwrap still work",
  );
}

/** Throws `ops_cap_reached` if the key has reached its tier's hard cap. */
export async function refuseCapped({ key, month, reads, before }: Metered): Promise<void> {
  if ((await opsLeft(reads, key, month)) > before) return;
  throw new ApiError('ops_cap_reached', 'monthly operation cap reached', {
    body: { cap: TIER[key.tier].monthlyOps, resets_at: viewInstant(nextMonthStart(month)) },
  });
}

/** Returns how many operations a key has left in the month, which is `Infinity` without a hard cap. */
export async function opsLeft(reads: Reader, key: Key, month: Month): Promise<number> {
  const { hardCap, monthlyOps } = TIER[key.tier];
  return hardCap ? monthlyOps - (await readCount(reads, key, month)) : Number.POSITIVE_INFINITY;
}
