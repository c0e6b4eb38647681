import { makeEvent, type Origin } from '../audit/record.ts';
import { DAY_US, type Instant, makeInstant } from '../base/clock.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { monthOf } from '../metering/month.ts';
import { replaceKey } from './attention.ts';
import { loadFresh } from './fresh.ts';
import type { Key } from './key.ts';

/** How long a deletion can be undone. */
const UNDO_US = 7 * DAY_US;

/**
 * Makes the key pending deletion for seven days. A key that is pending already stays as it is, without a second row. Throws
 * `unavailable` when too many changes of the key wait.
 */
export function requestDeletion(env: Env, origin: Origin, found: Key): Promise<Key> {
  return env.keyChanges.change(found, () =>
    env.store.transact(async (tx) => {
      const key = await loadFresh(tx, found.id);
      if (key.state === 'pending_deletion') return key;
      const now = env.clock.now();
      const pending = asPending(key, now, makeInstant(now + UNDO_US));
      replaceKey(tx, pending);
      env.audit.append(tx, makeEvent(env, origin, 'delete_key', key.id));
      return pending;
    }),
  );
}

/**
 * Undoes a deletion. Throws `not_pending_deletion`, `restore_window_closed` once the key is due, or `unavailable` when too
 * many changes of the key wait.
 */
export function restoreKey(env: Env, origin: Origin, found: Key): Promise<Key> {
  return env.keyChanges.change(found, () =>
    env.store.transact(async (tx) => {
      const key = await loadFresh(tx, found.id);
      const now = env.clock.now();
      if (key.destroy_after === null) throw new ApiError('not_pending_deletion', 'the key is not pending deletion');
      if (key.destroying || now >= key.destroy_after) {
        throw new ApiError('restore_window_closed', 'the key can no longer be restored');
      }
      const restored = asRestored(key, now);
      replaceKey(tx, restored);
      env.audit.append(tx, makeEvent(env, origin, 'restore_key', key.id));
      return restored;
    }),
  );
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

/**
 * The key active again. A deletion that is undone in the month of its request counts in no month's bill, and is forgotten;
 * one that a month ended in is kept. So there is at most one for each month that has ended.
 */
export function asRestored(key: Key, now: Instant): Key {
  const deletions = key.deletions
    .map((past) => ({ ...past, restored_at: past.restored_at ?? now }))
    .filter(({ requested_at, restored_at }) => monthOf(requested_at) < monthOf(restored_at));
  return { ...key, state: 'active', delete_requested_at: null, destroy_after: null, deletions };
}
