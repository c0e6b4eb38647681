import type { Caller } from '../auth/caller.ts';
import { byAge } from '../base/age.ts';
import type { Env } from '../env.ts';
import { isOwn } from './guards.ts';
import { isLive, KEYS, KEYS_OF_CONTAINER, KEYS_OF_TENANT, type Key, LIVE_STATES } from './key.ts';

/** The live keys that the caller may see, oldest first: the tenant's, an API key's container's, or its listed ones. */
export async function listKeys(env: Env, caller: Caller): Promise<Key[]> {
  const keys = await candidates(env, caller);
  return keys.filter((key) => isLive(key) && isOwn(key, caller)).sort(byAge);
}

async function candidates(env: Env, caller: Caller): Promise<Key[]> {
  if (caller.kind === 'session') {
    return env.store.selectAll(KEYS_OF_TENANT, { equal: [caller.tenantId], anyOf: LIVE_STATES });
  }
  if (caller.keyIds === null) {
    return env.store.selectAll(KEYS_OF_CONTAINER, { equal: [caller.containerId], anyOf: LIVE_STATES });
  }
  return (await env.store.findAll(KEYS, caller.keyIds)).flatMap((key) => key ?? []);
}
