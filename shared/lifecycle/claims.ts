import { type Month, monthOf } from '../base/month.ts';
import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
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

/** Frees a key's claims. Must be called before the transaction's first write, because this function reads. */
export async function freeClaims(tx: Transaction, key: Key): Promise<void> {
  const wasPaidFor = key.state === 'creating' && (await isCounted(tx, key));
  await freeClaim(tx, nameClaimOf(key), key.id);
  freeSlots(tx, key.tenant_id, ...countersOf(key.tier), ...(wasPaidFor ? ['paid_keys_created' as const] : []));
}

/** Whether the key is among the paid keys created in the month that the tenant's document counts. */
async function isCounted(tx: Transaction, { tenant_id, tier, created_at }: Key): Promise<boolean> {
  if (!TIER[tier].paid) return false;
  return (await tx.find(OBJECT_COUNTS, tenant_id))?.paid_keys_month === monthOf(created_at);
}

export function keyExists(): ApiError {
  return new ApiError('key_exists', 'a live key in this container already has this name');
}

function freeKeyExists(): ApiError {
  return new ApiError('free_key_exists', 'this tenant already has a free key (a key pending deletion counts)');
}
