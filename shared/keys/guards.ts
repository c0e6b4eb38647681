import type { Caller } from '../auth/caller.ts';
import { type Clock, viewInstant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Key } from './key.ts';

/** Whether the key is the caller's: its tenant's, and for an API key its container's. */
export function isOwn(key: Key, caller: Caller): boolean {
  const inContainer = caller.kind === 'session' || key.container_id === caller.containerId;
  return key.tenant_id === caller.tenantId && inContainer;
}

/** Refuses (`key_not_allowed`) a key outside the API key's key list, whatever the id names. */
export function refuseUnlisted(caller: Caller, keyId: KeyId): void {
  if (caller.kind === 'session' || caller.keyIds === null || caller.keyIds.includes(keyId)) return;
  throw new ApiError('key_not_allowed', 'this api key is not allowed to use that key');
}

/** Refuses (`key_not_allowed`) the making of a key by an API key that is held to a list of others. */
export function refuseKeyList(caller: Caller): void {
  if (caller.kind === 'session' || caller.keyIds === null) return;
  throw new ApiError('key_not_allowed', 'an api key with a key list cannot create a key');
}

/** Refuses (`key_pending_deletion`) a key whose deletion was requested. */
export function refusePending(key: Key, clock: Clock): void {
  if (key.destroy_after === null) return;
  const fate =
    clock.now() < key.destroy_after
      ? `it will be destroyed after ${viewInstant(key.destroy_after)} unless it is restored`
      : 'it can no longer be restored';
  throw new ApiError('key_pending_deletion', `the key is pending deletion: ${fate}`);
}
