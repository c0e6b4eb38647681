import { makeEvent, type Origin } from '../audit/record.ts';
import { DAY_US, type Instant, makeInstant } from '../base/clock.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { loadFresh } from './fresh.ts';
import { KEYS, type Key } from './key.ts';

/** How long a deletion can be undone. */
const UNDO_US = 7 * DAY_US;

/** Makes the key pending deletion for seven days. A key that is pending already stays as it is, without a second row. */
export function requestDeletion(env: Env, origin: Origin, { id }: Key): Promise<Key> {
  return env.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    if (key.state === 'pending_deletion') return key;
    const now = env.clock.now();
    const pending = asPending(key, now, makeInstant(now + UNDO_US));
    tx.replace(KEYS, id, pending);
    env.audit.append(tx, makeEvent(env, origin, 'delete_key', id));
    return pending;
  });
}

/** Undoes a deletion. Throws `not_pending_deletion`, or `restore_window_closed` once the key is due. */
export function restoreKey(env: Env, origin: Origin, { id }: Key): Promise<Key> {
  return env.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    const now = env.clock.now();
    if (key.destroy_after === null) throw new ApiError('not_pending_deletion', 'the key is not pending deletion');
    if (key.destroying || now >= key.destroy_after) {
      throw new ApiError('restore_window_closed', 'the key can no longer be restored');
    }
    const restored: Key = {
      ...key,
      state: 'active',
      delete_requested_at: null,
      destroy_after: null,
      deletions: key.deletions.map((past) => ({ ...past, restored_at: past.restored_at ?? now })),
    };
    tx.replace(KEYS, id, restored);
    env.audit.append(tx, makeEvent(env, origin, 'restore_key', id));
    return restored;
  });
}

/** The key pending deletion until `destroyAfter`. What is pending already keeps the time its deletion was requested. */
export function asPending(key: Key, now: Instant, destroyAfter: Instant): Key {
  if (key.state === 'pending_deletion') return { ...key, destroy_after: destroyAfter };
  return {
    ...key,
    state: 'pending_deletion',
    delete_requested_at: now,
    destroy_after: destroyAfter,
    deletions: [...key.deletions, { requested_at: now, restored_at: null }],
  };
}
