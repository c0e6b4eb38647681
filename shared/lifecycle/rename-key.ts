import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { Clock } from '../base/clock.ts';
import { refusePending } from '../keys/guards.ts';
import type { Key } from '../keys/key.ts';
import { isAlreadyExists } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { moveClaim } from '../tenancy/claim.ts';
import { keyExists, nameClaimOf } from './claims.ts';
import { replaceKey } from './due.ts';
import { changeRecorded, type KeyChanges, loadFresh } from './key-changes.ts';

/**
 * Renames a key. Writes no audit row if the key already has the name. Throws `key_pending_deletion`, `key_exists` or
 * `unavailable`.
 */
export function renameKey(
  services: { readonly store: Store; readonly clock: Clock; readonly keyChanges: KeyChanges },
  origin: Origin,
  found: Key,
  name: string,
): Promise<Key> {
  return services.keyChanges.change(found, 'store', () => rename(services, origin, found, name));
}

async function rename(
  services: { readonly store: Store; readonly clock: Clock; readonly keyChanges: KeyChanges },
  origin: Origin,
  { id }: Key,
  name: string,
): Promise<Key> {
  try {
    return await changeRecorded(services.store, async (tx) => {
      const key = await loadFresh(tx, id);
      refusePending(key, services.clock);
      if (key.name === name) return key;
      const renamed = { ...key, name };
      await moveClaim(tx, nameClaimOf(key), nameClaimOf(renamed), id);
      replaceKey(tx, renamed);
      appendEvent(tx, makeEvent(services.clock, origin, 'rename_key', id));
      return renamed;
    });
  } catch (error) {
    throw isAlreadyExists(error) ? keyExists() : error;
  }
}
