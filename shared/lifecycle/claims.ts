import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Transaction } from '../store/transaction.ts';
import { freeClaim, nameClaim } from '../tenancy/claim.ts';
import { freeSlots, type Slot, slotAmong } from '../tenancy/slots.ts';
import type { Tier } from '../tiers.ts';

export function nameClaimOf({ container_id, name }: Key): string {
  return nameClaim('key', container_id, name);
}

export function slotsOf(tier: Tier, freeKeysAtMost: number): Slot[] {
  const free: Slot = { counter: 'free_keys', max: freeKeysAtMost, full: freeKeyExists };
  return countersOf(tier).map((counter) => (counter === 'free_keys' ? free : slotAmong(counter)));
}

export function countersOf(tier: Tier): ('keys' | 'free_keys')[] {
  return tier === 'free' ? ['free_keys', 'keys'] : ['keys'];
}

/** Frees a key's claims. Must be called before the transaction's first write, because this function reads. */
export async function freeClaims(tx: Transaction, key: Key): Promise<void> {
  await freeClaim(tx, nameClaimOf(key), key.id);
  freeSlots(tx, key.tenant_id, ...countersOf(key.tier));
}

export function keyExists(): ApiError {
  return new ApiError('key_exists', 'a live key in this container already has this name');
}

function freeKeyExists(): ApiError {
  return new ApiError('free_key_exists', 'this tenant already has a free key (a key pending deletion counts)');
}
