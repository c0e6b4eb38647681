import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import type { Transaction } from '../store/writes.ts';
import { freeClaim, nameClaim } from '../tenancy/claim.ts';
import { freePlaces, type Place, placeAmong } from '../tenancy/places.ts';
import type { Key } from './key.ts';

/** The claim on the key's name in its container. */
export function nameClaimOf({ container_id, name }: Key): string {
  return nameClaim('key', container_id, name);
}

/**
 * The places that a key takes from its claim on until it is destroyed or given up. A `free` key always takes one among the
 * tenant's `free` keys; only where billing is configured is there no more than one of these.
 */
export function placesOf(env: Env, { tier }: Key): Place[] {
  const among = placeAmong('keys');
  const most = env.config.billing === undefined ? Number.POSITIVE_INFINITY : 1;
  return tier === 'free' ? [{ counter: 'free_keys', most, full: freeKeyExists }, among] : [among];
}

/** Frees the key's name and places, in the transaction that ends it and before that writes anything. */
export async function giveBack(tx: Transaction, env: Env, key: Key): Promise<void> {
  await freeClaim(tx, nameClaimOf(key), key.id);
  freePlaces(tx, key.tenant_id, ...placesOf(env, key).map(({ counter }) => counter));
}

/** `409 key_exists` */
export function keyExists(): ApiError {
  return new ApiError('key_exists', 'another live key in the container has the name');
}

function freeKeyExists(): ApiError {
  return new ApiError('free_key_exists', 'the tenant already has a live free key');
}
