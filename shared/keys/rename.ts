import { makeEvent, type Origin } from '../audit/record.ts';
import type { Env } from '../env.ts';
import { isAlreadyExists } from '../store/store.ts';
import { CLAIMS, freeClaim } from '../tenancy/claim.ts';
import { replaceKey } from './attention.ts';
import { keyExists, nameClaimOf } from './claims.ts';
import { loadFresh } from './fresh.ts';
import { refusePending } from './guards.ts';
import type { Key } from './key.ts';

/**
 * Gives the key another name; the old one is free at once. The same name changes nothing and leaves no row. Throws
 * `key_pending_deletion`, `key_exists`, or `unavailable` when too many changes of the key wait.
 */
export function renameKey(env: Env, origin: Origin, found: Key, name: string): Promise<Key> {
  return env.keyChanges.change(found, () => rename(env, origin, found, name));
}

async function rename(env: Env, origin: Origin, { id }: Key, name: string): Promise<Key> {
  try {
    return await env.store.transact(async (tx) => {
      const key = await loadFresh(tx, id);
      refusePending(key, env.clock);
      if (key.name === name) return key;
      const renamed = { ...key, name };
      await freeClaim(tx, nameClaimOf(key), id);
      tx.claim(CLAIMS, nameClaimOf(renamed), { holder: id });
      replaceKey(tx, renamed);
      env.audit.append(tx, makeEvent(env, origin, 'rename_key', id));
      return renamed;
    });
  } catch (error) {
    throw isAlreadyExists(error) ? keyExists() : error;
  }
}
