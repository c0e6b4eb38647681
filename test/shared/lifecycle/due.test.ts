import { describe, expect, test } from 'vitest';
import { DAY_US, HOUR_US, type Instant, MINUTE_US, makeInstant } from '../../../shared/base/clock.ts';
import type { Key } from '../../../shared/keys/key.ts';
import { backOff, isInterrupted, isToBeDestroyed, withDue } from '../../../shared/lifecycle/due.ts';
import { aKey, CREATED } from '../keys/a-key.ts';

const TEN_MINUTES = 10 * MINUTE_US;
const at = (us: number): Instant => makeInstant(CREATED + us);
const pending = (us: number): Partial<Key> => ({ state: 'pending_deletion', destroy_after: at(us) });
const unfinished = { unfinished_since: CREATED, rotations: 1 };

describe('the due time of a key', () => {
  test.each<[string, Partial<Key>, number | null]>([
    ['at no time while the key is active and no work is unfinished', {}, null],
    ['when the key can no longer be restored', pending(7 * DAY_US), 7 * DAY_US],
    ['ten minutes after unfinished work with the KMS began', unfinished, TEN_MINUTES],
    [
      'ten minutes after an unfinished creation of the key began',
      { state: 'creating', unfinished_since: CREATED },
      TEN_MINUTES,
    ],
    [
      'ten minutes after an abandoned creation of the key began',
      { state: 'abandoned', unfinished_since: CREATED },
      TEN_MINUTES,
    ],
    [
      'ten minutes after unfinished work began, if the key’s destruction is due later',
      { ...pending(7 * DAY_US), ...unfinished },
      TEN_MINUTES,
    ],
    [
      'when the key can no longer be restored, if that is before unfinished work is due',
      { ...pending(MINUTE_US), ...unfinished },
      MINUTE_US,
    ],
    ['at no time once the key is destroyed', { state: 'destroyed', destroy_after: CREATED }, null],
    [
      'ten minutes after an unfinished rotation began, even if the key has been destroyed',
      { state: 'destroyed', destroy_after: CREATED, ...unfinished },
      TEN_MINUTES,
    ],
  ])('scheduled work on a key is due %s', (_, changes, due) => {
    const then = due === null ? null : at(due);
    expect(withDue(aKey(changes))).toMatchObject({ due_at: then, retry_at: then });
  });

  test('scheduled work on a key may begin at its due time and not earlier', () => {
    const key = aKey({ ...pending(MINUTE_US), ...unfinished });
    expect([-1, 0].map((us) => isToBeDestroyed(key, at(MINUTE_US + us)))).toEqual([false, true]);
    expect([-1, 0].map((us) => isInterrupted(key, at(TEN_MINUTES + us)))).toEqual([false, true]);
  });
});

describe('a key whose work failed', () => {
  const due = withDue(aKey(pending(0)));
  /**
   * Returns the times of the first `count` attempts at work that always fails, in minutes after the due time. A run
   * starts every five minutes.
   */
  const attempts = (count: number) => {
    const tried: number[] = [];
    let key = due;
    for (let minute = 0; tried.length < count; minute += 5) {
      const now = at(minute * MINUTE_US + 1);
      if (key.retry_at === null || key.retry_at > now) continue;
      tried.push(minute);
      key = backOff(key, now);
    }
    return tried;
  };

  test('failed work on a key is retried at the next run, and then with an exponential back-off of up to an hour', () => {
    expect(attempts(9)).toEqual([0, 5, 15, 35, 75, 135, 195, 255, 315]);
  });

  test('unrelated changes to a key do not affect the due time and the back-off of failed work', () => {
    const later = backOff(backOff(due, at(MINUTE_US)), at(2 * MINUTE_US));
    expect(later.due_at).toBe(CREATED);
    expect(withDue({ ...later, name: 'another' })).toEqual({ ...later, name: 'another' });
  });

  test('a key that gets a new due time loses the back-off of earlier failures', () => {
    const later = backOff(backOff(due, at(MINUTE_US)), at(2 * MINUTE_US));
    expect(withDue({ ...later, destroy_after: at(HOUR_US) }).retry_at).toBe(at(HOUR_US));
  });
});
