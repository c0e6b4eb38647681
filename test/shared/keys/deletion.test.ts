import { describe, expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { asPending } from '../../../shared/keys/deletion.ts';
import { aKey, CREATED } from './a-key.ts';

const requested = makeInstant(CREATED + DAY_US);
const due = makeInstant(requested + 7 * DAY_US);

describe('a key that is made pending deletion', () => {
  test('keeps when its deletion was requested and when it is due, and its past', () => {
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

  test('and is so already, keeps the time of its first request: its billing ends then', () => {
    const pending = asPending(aKey(), requested, due);
    const now = makeInstant(requested + 3 * DAY_US);
    expect(asPending(pending, now, now)).toEqual({ ...pending, destroy_after: now });
  });
});
