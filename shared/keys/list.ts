import type { Caller } from '../auth/caller.ts';
import type { Env } from '../env.ts';
import { isReachable } from './guards.ts';
import { KEYS, type Key } from './key.ts';

/** The live keys that the caller may see, oldest first: the tenant's, an API key's container's, or its listed ones. */
export async function listKeys(env: Env, caller: Caller): Promise<Key[]> {
  const keys = await candidates(env, caller);
  return keys.filter((key) => isReachable(key, caller)).sort(byAge);
}

async function candidates(env: Env, caller: Caller): Promise<Key[]> {
  if (caller.kind === 'session') {
    return env.store.select(KEYS, (all) =>
      all.where('tenant_id', '==', caller.tenantId).where('state', 'in', ['active', 'pending_deletion']),
    );
  }
  if (caller.keyIds === null) {
    return env.store.select(KEYS, (all) =>
      all.where('container_id', '==', caller.containerId).where('state', 'in', ['active', 'pending_deletion']),
    );
  }
  const listed = await Promise.all(caller.keyIds.map((id) => env.store.find(KEYS, id)));
  return listed.flatMap((key) => key ?? []);
}

function byAge(a: Key, b: Key): number {
  return a.created_at - b.created_at || (a.id < b.id ? -1 : 1);
}
