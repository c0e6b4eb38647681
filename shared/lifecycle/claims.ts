import { type Month, monthOf } from '../base/month.ts';
import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { freeClaim, nameClaim } from '../tenancy/claim.ts';
import { OBJECT_COUNTS } from '../tenancy/object-counts.ts';
import { freeSlots, type Slot, slotAmong, slotAmongPaidKeys, slotOf } from '../tenancy/slots.ts';
import { TIER, type Tier } from '../tiers.ts';

export function nameClaimOf({ container_id, name }: Key): string {
  return nameClaim('key', container_id, name);
}

export function slotsOf(tier: Tier, freeKeysAtMost: number, month: Month): Slot[] {
  const ofTier = TIER[tier].paid
    ? slotAmongPaidKeys(month)
    : { ...slotOf('free_keys', freeKeysAtMost), full: freeKeyExists };
  return [ofTier, slotAmong('keys')];
}

export function countersOf(tier: Tier): ('keys' | 'free_keys')[] {
  return tier === 'free' ? ['free_keys', 'keys'] : ['keys'];
}

/**
 * Frees a key's claims, and for a key that was never activated also the {@link creationCounters}. Must be called before
 * the transaction's first write, because this function reads.
 */
export async function freeClaims(
  tx: Transaction,
  key: Key,
  created: readonly 'paid_keys_created'[] = [],
): Promise<void> {
  await freeClaim(tx, nameClaimOf(key), key.id);
  freeSlots(tx, key.tenant_id, ...countersOf(key.tier), ...created);
}

/**
 * Returns the counters that count the key's creation. Reads outside of the transaction, which would otherwise conflict
 * with every other creation of the tenant. At the turn of a month, the next month can have room for one key more.
 */
export async function creationCounters(
  store: Store,
  { tenant_id, tier, created_at }: Key,
): Promise<'paid_keys_created'[]> {
  if (!TIER[tier].paid) return [];
  const counts = await store.find(OBJECT_COUNTS, tenant_id);
  return counts?.paid_keys_month === monthOf(created_at) ? ['paid_keys_created'] : [];
}

export function keyExists(): ApiError {
  return new ApiError('key_exists', 'a live key in this container already has this name');
}

function freeKeyExists(): ApiError {
  return new ApiError('free_key_exists', 'this tenant already has a free key (a key pending deletion counts)');
}
