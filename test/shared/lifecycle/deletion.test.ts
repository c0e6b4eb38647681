import { describe, expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { monthOf } from '../../../shared/base/month.ts';
import { asPending, asRestored } from '../../../shared/lifecycle/delete-key.ts';
import { aKey, CREATED } from '../keys/a-key.ts';

const requested = makeInstant(CREATED + DAY_US);
const due = makeInstant(requested + 7 * DAY_US);

describe('a key pending deletion', () => {
  test('the record of a key pending deletion has the time of the request, the time of destruction and earlier deletions', () => {
    const past = { requested_at: CREATED, restored_at: makeInstant(CREATED + 1) };
    const key = aKey({ deletions: [past] });
    expect(asPending(key, requested, due)).toEqual({
      ...key,
      state: 'pending_deletion',
      delete_requested_at: requested,
      destroy_after: due,
      deletions: [past, { requested_at: requested, restored_at: null }],
    });
  });

  test('a second deletion request keeps the time of the first request, because billing ends at that time', () => {
    const pending = asPending(aKey(), requested, due);
    const now = makeInstant(requested + 3 * DAY_US);
    expect(asPending(pending, now, now)).toEqual({ ...pending, destroy_after: now });
  });
});

describe('a restored key', () => {
  const pendingAt = (at: number) => asPending(aKey(), makeInstant(at), makeInstant(at + 7 * DAY_US));
  /** 2026-11-01T00:00:00Z */
  const november = CREATED + 16.5 * DAY_US;

  test('a key that is restored in the month of its deletion request keeps no record of the deletion', () => {
    const key = aKey();
    const pending = asPending(key, requested, due);
    expect(asRestored(pending, makeInstant(due - 1))).toEqual(key);
  });

  test.each([
    ['restored in the last microsecond of the same month', november - 1, []],
    [
      'restored in the first microsecond of the next month',
      november,
      [{ requested_at: november - DAY_US, restored_at: november }],
    ],
  ])(
    'a deletion is kept in the record only if the key is restored in a later month: %s',
    (_, restoredAt, deletions) => {
      const restored = asRestored(pendingAt(november - DAY_US), makeInstant(restoredAt));
      expect(restored).toMatchObject({ state: 'active', destroy_after: null, deletions });
    },
  );

  test('however often a key is deleted and restored, its record keeps at most one deletion for each past month', () => {
    let key = aKey();
    for (let day = 0; day < 400; day++) {
      for (const hour of [0, 8, 16]) {
        const at = CREATED + day * DAY_US + (hour * DAY_US) / 24;
        key = asRestored(asPending(key, makeInstant(at), due), makeInstant(at + DAY_US / 3));
      }
    }
    const months = key.deletions.map(({ requested_at }) => monthOf(requested_at));
    expect(months).toHaveLength(13);
    expect(new Set(months).size).toBe(13);
  });
});
