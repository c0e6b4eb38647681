import { HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { Writes } from '../store/writes.ts';

/** KMS work that is unfinished for this long was interrupted, because every request ends sooner. */
const INTERRUPTED_AFTER_US = 10 * MINUTE_US;

const MAX_BACK_OFF_US = HOUR_US;

/** Writes a key with its due time. Every change of a key must use this function. */
export function replaceKey(writes: Writes, key: Key): void {
  writes.replace(KEYS, key.id, withDue(key));
}

/** Returns the key with its due time. If the due time has not changed, the time of the next attempt stays too. */
export function withDue(key: Key): Key {
  const due = dueAt(key);
  return due === key.due_at ? key : { ...key, due_at: due, retry_at: due };
}

/**
 * Returns the key with the time of its next attempt: at once after the first failure, then after a wait as long as the
 * key has been overdue, up to an hour.
 */
export function backOff(key: Key, now: Instant): Key {
  const isFirst = key.retry_at === key.due_at;
  const overdue = now - (key.due_at ?? now);
  return { ...key, retry_at: makeInstant(now + (isFirst ? 0 : Math.min(overdue, MAX_BACK_OFF_US))) };
}

export function isToBeDestroyed({ state, destroy_after }: Key, now: Instant): boolean {
  return state === 'pending_deletion' && destroy_after !== null && destroy_after <= now;
}

export function isInterrupted({ unfinished_since }: Key, now: Instant): boolean {
  return unfinished_since !== null && unfinished_since + INTERRUPTED_AFTER_US <= now;
}

function dueAt({ state, destroy_after, unfinished_since }: Key): Instant | null {
  const destruction = state === 'pending_deletion' && destroy_after !== null ? [destroy_after] : [];
  const cleanup = unfinished_since === null ? [] : [unfinished_since + INTERRUPTED_AFTER_US];
  const due = Math.min(...destruction, ...cleanup);
  return due === Number.POSITIVE_INFINITY ? null : makeInstant(due);
}
