import { byAge } from '../base/clock.ts';
import type { ContainerId, TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from '../tenancy/caller.ts';
import { isOwn } from './guards.ts';
import { isLive, KEYS, KEYS_OF_CONTAINER, KEYS_OF_TENANT, type Key, LIVE_STATES } from './key.ts';

/** Returns the live keys that the caller can reach, oldest first. */
export async function listKeys(store: Store, caller: Caller): Promise<Key[]> {
  const keys = await candidates(store, caller);
  return keys.filter((key) => isLive(key) && isOwn(key, caller)).sort(byAge);
}

async function candidates(store: Store, caller: Caller): Promise<Key[]> {
  if (caller.kind === 'session') {
    return store.selectAll(KEYS_OF_TENANT, { equal: [caller.tenantId], anyOf: LIVE_STATES });
  }
  if (caller.keyIds === null) {
    return store.selectAll(KEYS_OF_CONTAINER, { equal: [caller.containerId], anyOf: LIVE_STATES });
  }
  return (await store.findAll(KEYS, caller.keyIds)).flatMap((key) => key ?? []);
}

/** Whether the tenant has ever had a key. Destroyed keys count too. */
export async function hasHadKey(store: Store, id: TenantId): Promise<boolean> {
  const found = await store.select(KEYS_OF_TENANT, { equal: [id], anyOf: [...LIVE_STATES, 'destroyed'], limit: 1 });
  return found.length > 0;
}

/** The states in which a key reserves its name and makes its container count as not empty. */
export const FILLING_STATES = ['creating', 'active', 'pending_deletion'] as const;

export async function holdsKeys(store: Store, id: ContainerId): Promise<boolean> {
  return (await store.select(KEYS_OF_CONTAINER, { equal: [id], anyOf: FILLING_STATES, limit: 1 })).length > 0;
}
