import { type Clock, viewInstant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Caller, Identity } from '../tenancy/caller.ts';
import type { Key } from './key.ts';

/** Whether the key belongs to the caller's tenant and, for an API key, to its container. */
export function isOwn(key: Pick<Key, 'tenant_id' | 'container_id'>, caller: Caller): boolean {
  const inContainer = caller.kind === 'session' || key.container_id === caller.containerId;
  return key.tenant_id === caller.tenantId && inContainer;
}

/** Throws `key_not_allowed` if the API key has a key list without this key. For an unknown name, `keyId` is absent. */
export function refuseUnlisted(caller: Identity, keyId: KeyId | undefined): void {
  if (caller.kind !== 'api_key' || caller.keyIds === null) return;
  if (keyId !== undefined && caller.keyIds.includes(keyId)) return;
  throw new ApiError('key_not_allowed', "this key is not in the api key's key list");
}

/** Throws `key_not_allowed` for an API key with a key list, which cannot create keys. */
export function refuseKeyList(caller: Identity): void {
  if (caller.kind !== 'api_key' || caller.keyIds === null) return;
  throw new ApiError('key_not_allowed', 'an api key with a key list cannot create keys');
}

/** Throws `key_pending_deletion`. The message says until when the key can be restored, or that it cannot. */
export function refusePending(key: Key, clock: Clock): void {
  if (key.destroy_after === null) return;
  const consequence =
    clock.now() < key.destroy_after
      ? `will be destroyed after ${viewInstant(key.destroy_after)} unless it is restored`
      : 'can no longer be restored';
  throw new ApiError('key_pending_deletion', `the key is pending deletion and ${consequence}`);
}

/** Throws `key_frozen`. The message says since when. */
export function refuseFrozen({ frozen_at }: Key): void {
  if (frozen_at === null) return;
  throw new ApiError('key_frozen', `the key has been frozen since ${viewInstant(frozen_at)}`);
}

/** Throws the error of a key that cannot be used or rotated: `key_pending_deletion`, then `key_frozen`. */
export function refuseUnusable(key: Key, clock: Clock): void {
  refusePending(key, clock);
  refuseFrozen(key);
}
