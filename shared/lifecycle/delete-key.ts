import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import { type Clock, DAY_US, type Instant, makeInstant } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { monthOf } from '../base/month.ts';
import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Store } from '../store/store.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { replaceKey } from './due.ts';
import { changeRecorded, type KeyChanges, loadFresh } from './key-changes.ts';

/** How long a deleted key can be restored, in microseconds. */
export const UNDO_US = 7 * DAY_US;

/** Schedules a key's destruction in seven days. Throws `unavailable` if too many changes of the key wait. */
export function requestDeletion(
  services: { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly keyChanges: KeyChanges },
  origin: Origin,
  found: Key,
): Promise<Key> {
  return services.keyChanges.change(found, 'store', () =>
    changeRecorded(services.store, async (tx) => {
      const key = await loadFresh(tx, found.id);
      if (key.state === 'pending_deletion') return key;
      const now = services.clock.now();
      const dates = { delete_requested_at: now, destroy_after: makeInstant(now + UNDO_US) };
      const pending = asPending(key, now, dates.destroy_after);
      replaceKey(tx, pending);
      appendEvent(tx, makeEvent(services.clock, origin, 'delete_key', key.id));
      const target = { tenant_id: key.tenant_id, target_id: key.id };
      logRedo(tx, services.log, { message: 'key deletion requested', ...target, ...dates });
      return pending;
    }),
  );
}

/** Restores a key pending deletion. Throws `not_pending_deletion`, `restore_window_closed` or `unavailable`. */
export function restoreKey(
  services: { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly keyChanges: KeyChanges },
  origin: Origin,
  found: Key,
): Promise<Key> {
  return services.keyChanges.change(found, 'store', () =>
    changeRecorded(services.store, async (tx) => {
      const key = await loadFresh(tx, found.id);
      const now = services.clock.now();
      if (key.destroy_after === null) throw new ApiError('not_pending_deletion', 'the key is not pending deletion');
      if (key.destroying || now >= key.destroy_after) {
        throw new ApiError('restore_window_closed', 'the key can no longer be restored');
      }
      const restored = asRestored(key, now);
      replaceKey(tx, restored);
      appendEvent(tx, makeEvent(services.clock, origin, 'restore_key', key.id));
      logRedo(tx, services.log, { message: 'key restored', tenant_id: key.tenant_id, target_id: key.id });
      return restored;
    }),
  );
}

/** Returns the key as pending deletion. If it already is, its `delete_requested_at` stays the same. */
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
 * Returns the key as restored. Removes deletions that were restored in the month in which they were requested, because
 * they affect no bill. So at most one deletion per month is kept.
 */
export function asRestored(key: Key, now: Instant): Key {
  const deletions = key.deletions
    .map((past) => ({ ...past, restored_at: past.restored_at ?? now }))
    .filter(({ requested_at, restored_at }) => monthOf(requested_at) < monthOf(restored_at));
  return { ...key, state: 'active', delete_requested_at: null, destroy_after: null, deletions };
}
