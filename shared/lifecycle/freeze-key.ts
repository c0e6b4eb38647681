import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { refusePending } from '../keys/guards.ts';
import type { Key } from '../keys/key.ts';
import type { Store } from '../store/store.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { replaceKey } from './due.ts';
import { changeRecorded, loadFresh } from './key-changes.ts';

type FreezeServices = { readonly store: Store; readonly clock: Clock; readonly log: Log };

/**
 * Freezes a key. Does not wait in the queue of the key's changes, which a thief of an API key could fill. If the key
 * is already frozen, changes and records nothing. Throws `key_pending_deletion`.
 */
export function freezeKey({ store, clock, log }: FreezeServices, origin: Origin, { id }: Key): Promise<Key> {
  return changeRecorded(store, async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, clock);
    if (key.frozen_at !== null) return key;
    const frozen_at = clock.now();
    const frozen = { ...key, frozen_at };
    replaceKey(tx, frozen);
    appendEvent(tx, makeEvent(clock, origin, 'freeze_key', id));
    logRedo(tx, log, { message: 'key frozen', tenant_id: key.tenant_id, target_id: id, frozen_at });
    return frozen;
  });
}

/** Thaws a key. If it is not frozen, changes and records nothing. Throws `key_pending_deletion`. */
export function thawKey({ store, clock, log }: FreezeServices, origin: Origin, { id }: Key): Promise<Key> {
  return changeRecorded(store, async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, clock);
    if (key.frozen_at === null) return key;
    const thawed = { ...key, frozen_at: null };
    replaceKey(tx, thawed);
    appendEvent(tx, makeEvent(clock, origin, 'thaw_key', id));
    logRedo(tx, log, { message: 'key thawed', tenant_id: key.tenant_id, target_id: id });
    return thawed;
  });
}
