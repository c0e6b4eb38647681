import { HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import type { Writes } from '../store/writes.ts';
import { KEYS, type Key } from './key.ts';

/** Work with the KMS that has been under way for longer than this was cut off. No request lives nearly as long. */
const CUT_OFF_AFTER_US = 10 * MINUTE_US;

/** However long a key has been due, it is tried again within an hour. */
const LONGEST_PAUSE_US = HOUR_US;

/** Writes a key, and with it when `destroy-due-keys` is to look at it. Every change of a key is written so. */
export function replaceKey(writes: Writes, key: Key): void {
  writes.replace(KEYS, key.id, withDue(key));
}

/** The key with when it is due. Where that stays as it was, so does a pause after a failure. */
export function withDue(key: Key): Key {
  const due = dueAt(key);
  return due === key.due_at ? key : { ...key, due_at: due, attend_at: due };
}

/**
 * The key as it is to be looked at again after work on it failed at `now`: the first time at the next run, then after as
 * long again as it has been due. So the pauses double.
 */
export function putOff(key: Key, now: Instant): Key {
  const isFirst = key.attend_at === key.due_at;
  const overdue = now - (key.due_at ?? now);
  return { ...key, attend_at: makeInstant(now + (isFirst ? 0 : Math.min(overdue, LONGEST_PAUSE_US))) };
}

/** Whether the key is to be destroyed by now. */
export function isToBeDestroyed({ state, destroy_after }: Key, now: Instant): boolean {
  return state === 'pending_deletion' && destroy_after !== null && destroy_after <= now;
}

/** Whether work with the KMS on the key was cut off by now. */
export function isCutOff({ unfinished_since }: Key, now: Instant): boolean {
  return unfinished_since !== null && unfinished_since + CUT_OFF_AFTER_US <= now;
}

/** What was begun before this is either done or cut off. */
export function cutOffBefore(now: Instant): Instant {
  return makeInstant(now - CUT_OFF_AFTER_US);
}

function dueAt({ state, destroy_after, unfinished_since }: Key): Instant | null {
  const destruction = state === 'pending_deletion' && destroy_after !== null ? [destroy_after] : [];
  const tidying = unfinished_since === null ? [] : [unfinished_since + CUT_OFF_AFTER_US];
  const due = Math.min(...destruction, ...tidying);
  return due === Number.POSITIVE_INFINITY ? null : makeInstant(due);
}
