import { describe, expect, test } from 'vitest';
import { DAY_US, HOUR_US, type Instant, MINUTE_US, makeInstant, SECOND_US } from '../../../shared/base/clock.ts';
import { type KeyId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { monthOf } from '../../../shared/base/month.ts';
import type { Key, KeyVersion } from '../../../shared/keys/key.ts';
import { nextRotation, withRotations } from '../../../shared/keys/versions.ts';
import type { CryptoKeyVersion } from '../../../shared/kms/inventory.ts';
import { asPending, asRestored } from '../../../shared/lifecycle/delete-key.ts';
import { backOff, isInterrupted, isToBeDestroyed, withDue } from '../../../shared/lifecycle/due.ts';
import { KeyChanges } from '../../../shared/lifecycle/key-changes.ts';
import { findLostRotations } from '../../../shared/lifecycle/lost-rotations.ts';
import { isSettled, settle } from '../../../shared/lifecycle/settle.ts';
import { aKey, CREATED } from '../keys/a-key.ts';

test('a version stays enabled for half a second, and is only known to be settled once its commit must have ended', async () => {
  const start = performance.now();
  await settle();
  expect(performance.now() - start).toBeGreaterThanOrEqual(500);
  expect([undefined, CREATED].map((at) => isSettled(at, makeInstant(CREATED + 10 * SECOND_US)))).toEqual([
    false,
    false,
  ]);
  expect(isSettled(CREATED, makeInstant(CREATED + MINUTE_US))).toBe(true);
});

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

const makeKeyOf = (tenant_id: TenantId) => ({ id: makeId<KeyId>(), tenant_id });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (message: string) => expect.objectContaining({ code: 'unavailable', message });

/** Key changes that stay open until the test ends them. Records the order in which they began. */
function makeHarness() {
  const changes = new KeyChanges();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.set(name, () => resolve(name));
    return promise;
  };
  const watched = (outcome: Promise<string>) => {
    outcome.catch(() => undefined);
    return outcome;
  };
  return {
    changes,
    begun,
    change: (key: ReturnType<typeof makeKeyOf>, name: string, asks: 'kms' | 'store' = 'kms') =>
      watched(changes.change(key, asks, work(name))),
    create: (tenant: TenantId, name: string) => watched(changes.create(tenant, work(name))),
    end: async (name: string) => {
      ends.get(name)?.();
      await turn();
    },
  };
}

test('changes of one key run one at a time, in order of arrival', async () => {
  const { begun, change, end } = makeHarness();
  const key = makeKeyOf(makeId());
  for (const name of ['1', '2', '3']) change(key, name);
  await turn();
  expect(begun).toEqual(['1']);
  await end('1');
  expect(begun).toEqual(['1', '2']);
  await end('2');
  expect(begun).toEqual(['1', '2', '3']);
});

test('a change is refused if sixteen changes of the same key are waiting, but another key of the tenant can still be changed', async () => {
  const { begun, change } = makeHarness();
  const [key, other] = [makeKeyOf(makeId()), makeKeyOf(makeId())];
  for (let at = 0; at < 17; at++) change(key, `${at}`);
  await expect(change(key, 'one more')).rejects.toEqual(refusal('too many changes to this key in progress'));
  change({ ...other, tenant_id: key.tenant_id }, 'other');
  await turn();
  expect(begun).toEqual(['0', 'other']);
});

test('a change that pauses between its parts holds up only other changes of its key', async () => {
  const { changes, begun, change, create, end: endOf } = makeHarness();
  const tenant = makeId<TenantId>();
  const keys = Array.from({ length: 128 }, () => makeKeyOf(tenant));
  const { promise: pause, resolve: end } = Promise.withResolvers<void>();
  const rotations = keys.map((key, at) =>
    changes.changeInParts(key, async (inTurn) => {
      await inTurn('kms', async () => undefined);
      await pause;
      await inTurn('kms', async () => begun.push(`end of ${at}`));
    }),
  );
  for (let at = 0; at < 20; at++) await turn();
  const [first] = keys;
  if (first !== undefined) change(first, 'of the same key');
  for (let at = 0; at < 8; at++) create(tenant, `${at}`);
  await turn();
  expect(begun).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  end();
  for (let at = 0; at < 8; at++) await endOf(`${at}`);
  await Promise.all(rotations);
  await turn();
  expect(begun).toContain('of the same key');
});

test('one tenant’s changes and creations of keys run eight at a time and do not delay another tenant', async () => {
  const { begun, change, create } = makeHarness();
  const tenant = makeId<TenantId>();
  for (let at = 0; at < 6; at++) change(makeKeyOf(tenant), `change ${at}`);
  for (let at = 0; at < 6; at++) create(tenant, `creation ${at}`);
  await turn();
  expect(begun).toHaveLength(8);
  change(makeKeyOf(makeId()), 'of another');
  await turn();
  expect(begun).toContain('of another');
});

test('changes that call the KMS do not delay a rename of another key, only later changes of the same key', async () => {
  const { begun, change, create, end } = makeHarness();
  const tenant = makeId<TenantId>();
  const rotated = makeKeyOf(tenant);
  change(rotated, 'rotation');
  for (let at = 0; at < 7; at++) create(tenant, `creation ${at}`);
  await turn();
  change(makeKeyOf(tenant), 'rename of another key', 'store');
  change(rotated, 'rename of the rotated key', 'store');
  await turn();
  expect(begun.slice(8)).toEqual(['rename of another key']);
  await end('rotation');
  expect(begun.slice(9)).toEqual(['rename of the rotated key']);
});
