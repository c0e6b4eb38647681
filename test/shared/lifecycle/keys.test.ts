import { describe, expect, test } from 'vitest';
import { DAY_US, HOUR_US, type Instant, MINUTE_US, makeInstant } from '../../../shared/base/clock.ts';
import { monthOf } from '../../../shared/base/month.ts';
import type { Key, KeyVersion } from '../../../shared/keys/key.ts';
import { nextRotation, withRotations } from '../../../shared/keys/versions.ts';
import type { CryptoKeyVersion } from '../../../shared/kms/inventory.ts';
import { asPending, asRestored } from '../../../shared/lifecycle/delete-key.ts';
import { backOff, isInterrupted, isToBeDestroyed, withDue } from '../../../shared/lifecycle/due.ts';
import { findLostRotations } from '../../../shared/lifecycle/lost-rotations.ts';
import { aKey, CREATED } from '../keys/a-key.ts';

const requested = makeInstant(CREATED + DAY_US);
const destroyAfter = makeInstant(requested + 7 * DAY_US);

test('the record of a key pending deletion has the time of the request, the time of destruction and earlier deletions', () => {
  const past = { requested_at: CREATED, restored_at: makeInstant(CREATED + 1) };
  const key = aKey({ deletions: [past] });
  expect(asPending(key, requested, destroyAfter)).toEqual({
    ...key,
    state: 'pending_deletion',
    delete_requested_at: requested,
    destroy_after: destroyAfter,
    deletions: [past, { requested_at: requested, restored_at: null }],
  });
});

test('a second deletion request keeps the time of the first request, because billing ends at that time', () => {
  const pending = asPending(aKey(), requested, destroyAfter);
  const now = makeInstant(requested + 3 * DAY_US);
  expect(asPending(pending, now, now)).toEqual({ ...pending, destroy_after: now });
});

const pendingAt = (at: number) => asPending(aKey(), makeInstant(at), makeInstant(at + 7 * DAY_US));
/** 2026-11-01T00:00:00Z */
const november = CREATED + 16.5 * DAY_US;

test('a key that is restored in the month of its deletion request keeps no record of the deletion', () => {
  const key = aKey();
  const pending = asPending(key, requested, destroyAfter);
  expect(asRestored(pending, makeInstant(destroyAfter - 1))).toEqual(key);
});

test.each([
  ['restored in the last microsecond of the same month', november - 1, []],
  [
    'restored in the first microsecond of the next month',
    november,
    [{ requested_at: november - DAY_US, restored_at: november }],
  ],
])('a deletion is kept in the record only if the key is restored in a later month: %s', (_, restoredAt, deletions) => {
  const restored = asRestored(pendingAt(november - DAY_US), makeInstant(restoredAt));
  expect(restored).toMatchObject({ state: 'active', destroy_after: null, deletions });
});

test('however often a key is deleted and restored, its record keeps at most one deletion for each past month', () => {
  let key = aKey();
  for (let day = 0; day < 400; day++) {
    for (const hour of [0, 8, 16]) {
      const at = CREATED + day * DAY_US + (hour * DAY_US) / 24;
      key = asRestored(asPending(key, makeInstant(at), destroyAfter), makeInstant(at + DAY_US / 3));
    }
  }
  const months = key.deletions.map(({ requested_at }) => monthOf(requested_at));
  expect(months).toHaveLength(13);
  expect(new Set(months).size).toBe(13);
});

const TEN_MINUTES = 10 * MINUTE_US;
const at = (us: number): Instant => makeInstant(CREATED + us);
const pendingUntil = (us: number): Partial<Key> => ({ state: 'pending_deletion', destroy_after: at(us) });
const unfinished = { unfinished_since: CREATED, rotations: 1 };

test.each<[string, Partial<Key>, number | null]>([
  ['at no time while the key is active and no work is unfinished', {}, null],
  ['when the key can no longer be restored', pendingUntil(7 * DAY_US), 7 * DAY_US],
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
    { ...pendingUntil(7 * DAY_US), ...unfinished },
    TEN_MINUTES,
  ],
  [
    'when the key can no longer be restored, if that is before unfinished work is due',
    { ...pendingUntil(MINUTE_US), ...unfinished },
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
  const key = aKey({ ...pendingUntil(MINUTE_US), ...unfinished });
  expect([-1, 0].map((us) => isToBeDestroyed(key, at(MINUTE_US + us)))).toEqual([false, true]);
  expect([-1, 0].map((us) => isInterrupted(key, at(TEN_MINUTES + us)))).toEqual([false, true]);
});

describe('a key whose work failed', () => {
  const due = withDue(aKey(pendingUntil(0)));
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

const CRYPTO_KEY = 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions';

/** Returns a version of the CryptoKey for each state, numbered from 1 as in the KMS. */
function inKms(...states: readonly string[]): CryptoKeyVersion[] {
  return states.map((state, at) => ({
    name: `${CRYPTO_KEY}/${at + 1}`,
    number: at + 1,
    state,
    createdAt: CREATED,
    destroyAt: null,
  }));
}

/** Makes a `software` key. Its versions are `first`, `first + 1`, …, and `numbers` are their numbers in the KMS. */
function stored(first: number, ...numbers: readonly number[]) {
  const versions = numbers.map((number, at): KeyVersion => {
    const material = { kind: 'crypto_key_version', name: `${CRYPTO_KEY}/${number}` } as const;
    return { version: first + at, state: 'enabled', created_at: CREATED, material };
  });
  return aKey({ versions, primary_version: first + numbers.length - 1 });
}

test('no rotation counts as lost if the primary version is the newest enabled version in the KMS', () => {
  expect(findLostRotations(stored(1, 1), inKms('ENABLED'))).toBeUndefined();
  expect(findLostRotations(stored(1, 1), inKms('ENABLED', 'DESTROY_SCHEDULED', 'DESTROYED'))).toBeUndefined();
  expect(findLostRotations(stored(1, 2), inKms('ENABLED', 'ENABLED', 'PENDING_GENERATION'))).toBeUndefined();
});

test('lost rotations made the enabled versions that are newer than the primary version, and retired the versions that the KMS destroys', () => {
  const lost = findLostRotations(
    stored(1, 1, 2),
    inKms('DESTROY_SCHEDULED', 'DESTROYED', 'ENABLED', 'ENABLED', 'ENABLED'),
  );
  expect(lost?.made.map(({ version }) => version)).toEqual([3, 4, 5]);
  expect(lost?.retired).toEqual([1, 2]);
});

test('a version that the tier retains does not count as retired by a lost rotation, even if the KMS destroys the version', () => {
  expect(findLostRotations(stored(1, 1), inKms('DESTROY_SCHEDULED', 'ENABLED'))?.retired).toEqual([]);
});

test('a version that is still enabled in the KMS does not count as retired by a lost rotation', () => {
  const lost = findLostRotations(stored(1, 1), inKms('ENABLED', 'ENABLED', 'ENABLED', 'ENABLED'));
  expect(lost?.retired).toEqual([]);
});

test.each([
  ['the version numbers in the record equal those in the KMS', stored(1, 1), 2, 2],
  ['an interrupted rotation left a version in the KMS', stored(1, 2), 3, 2],
  ['the record has dropped old versions', stored(40, 45), 46, 41],
])(
  'versions from lost rotations get the numbers after the primary version’s number: %s',
  (_, key, newest, expected) => {
    const lost = findLostRotations(key, inKms(...Array<string>(newest).fill('ENABLED')));
    expect(lost?.made.map(({ version }) => version)).toEqual([expected]);
  },
);

test('the version number of an interrupted rotation is not used again', () => {
  const key = stored(1, 1);
  const lost = findLostRotations(key, inKms('ENABLED', 'DESTROYED', 'ENABLED'));
  expect(lost?.made.map(({ version }) => version)).toEqual([3]);
  const adopted = withRotations(key, lost?.made ?? [], lost?.retired ?? []);
  expect(adopted).toMatchObject({ primary_version: 3, versions: [{ version: 1 }, { version: 3 }] });
  expect(nextRotation(adopted).version).toBe(4);
});

test('lost rotations of data keys cannot be found, because only the lost key records contained those data keys', () => {
  const material = { kind: 'data_key', wrapped: Buffer.alloc(8) } as const;
  const key = aKey({ versions: [{ version: 1, state: 'enabled', created_at: CREATED, material }] });
  expect(findLostRotations(key, inKms('ENABLED', 'ENABLED'))).toBeUndefined();
});
