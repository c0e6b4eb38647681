import type { Operation } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import { viewInstant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import { isInGoodStanding } from '../billing/standing.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import { TIER } from '../keys/tiers.ts';
import { readCount } from './counter.ts';
import { type Month, monthOf, nextMonthStart } from './month.ts';

/** What decides whether a key may be used besides its state, on its way while the other checks are made. */
export interface Meter {
  readonly month: Month;
  /** Operations so far this month; asked only of a tier that a cap stops. */
  readonly used: Promise<number>;
  /** Whether new ciphertext may be made under the key as far as billing goes. */
  readonly paidFor: Promise<boolean>;
}

/** Asks for a key's meter in two steps: for what can be had before the key itself, and once it is there for the rest. */
export type MeterReader = (env: Env, keyId: KeyId) => (key: Key) => Meter;

/** Asks for the count alone: what opens ciphertext is never refused for billing. */
export const readMeter: MeterReader = (env) => (key) => {
  const month = monthOf(env.clock.now());
  const used = TIER[key.tier].hardCap ? prefetch(readCount(env.store, key, month)) : Promise.resolve(0);
  return { month, used, paidFor: Promise.resolve(true) };
};

/** Asks for the count, and for the tenant's standing where the key is paid: at once, if it is known whose key it is. */
export const readPaidMeter: MeterReader = (env, keyId) => {
  const readRest = readMeter(env, keyId);
  const owner = env.owners.get(keyId);
  const standing = owner && prefetch(isInGoodStanding(env, owner));
  return (key) => {
    const rest = readRest(key);
    if (!TIER[key.tier].paid) return rest;
    env.owners.set(key.id, key.tenant_id);
    return { ...rest, paidFor: standing ?? prefetch(isInGoodStanding(env, key.tenant_id)) };
  };
};

/** Refuses (`billing_required`) new ciphertext under a paid key while billing is not in good standing. */
export async function refuseUnpaid(meter: Meter): Promise<void> {
  if (await meter.paidFor) return;
  throw new ApiError(
    'billing_required',
    "new ciphertext under a paid key needs the tenant's billing in good standing; decrypt and unwrap still work",
  );
}

/** Refuses (`ops_cap_reached`) a key whose tier's operations of the month are used up. */
export async function refuseCapped(meter: Meter, key: Key): Promise<void> {
  const cap = TIER[key.tier].monthlyOps;
  if ((await meter.used) < cap || !TIER[key.tier].hardCap) return;
  throw new ApiError('ops_cap_reached', 'monthly operation cap reached', {
    body: { cap, resets_at: viewInstant(nextMonthStart(meter.month)) },
  });
}

/** Counts an operation that succeeded and writes its audit row. Throws `internal_error`, the count kept, when the row cannot be written. */
export function recordOperation(
  env: Env,
  origin: Origin,
  operation: Operation,
  key: Key,
  { month }: Meter,
): Promise<void> {
  return env.commits.record({ key, month, event: makeEvent(env, origin, operation, key.id) });
}
