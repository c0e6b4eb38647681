import { describe, expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { type ContainerId, type KeyId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { isOwn, refuseKeyList, refusePending, refuseUnlisted } from '../../../shared/keys/guards.ts';
import { KEYS, type Key, type KeyVersion } from '../../../shared/keys/key.ts';
import {
  hasCryptoKey,
  namesInKms,
  nextRotation,
  replacedAt,
  retiringCount,
  shownVersions,
  surplusVersions,
  withoutMaterial,
  withPrimary,
  withRetiringDestroyed,
  withSurplusRetired,
} from '../../../shared/keys/versions.ts';
import { keyAnswer, viewKey } from '../../../shared/keys/view.ts';
import type { ApiKeyCaller, SessionCaller } from '../../../shared/tenancy/caller.ts';
import { TIER, TIERS, type Tier } from '../../../shared/tiers.ts';
import { aKey, CREATED } from './a-key.ts';

const key = aKey();
const apiKey: ApiKeyCaller = {
  kind: 'api_key',
  tenantId: key.tenant_id,
  containerId: key.container_id,
  apiKeyId: makeId(),
  name: 'orders',
  allowedActions: [],
  keyIds: null,
  firewallId: null,
  expiresAt: null,
  workload: null,
};
const session: SessionCaller = {
  kind: 'session',
  role: 'owner',
  tenantId: key.tenant_id,
  userId: makeId(),
  person: { subjectId: 'subject', email: null, name: null },
};
function notAllowed(message: string) {
  return expect.objectContaining({ code: 'key_not_allowed', message });
}

const otherContainer = { containerId: makeId<ContainerId>() };
const otherTenant = { tenantId: makeId<TenantId>() };

test.each([
  ['is reachable', 'an API key of its container', apiKey],
  ['is not reachable', 'an API key of another container of the tenant', { ...apiKey, ...otherContainer }],
  ['is not reachable', 'an API key of another tenant', { ...apiKey, ...otherTenant, ...otherContainer }],
  ['is not reachable', 'an API key of another tenant with the same container id', { ...apiKey, ...otherTenant }],
  ['is reachable', 'a session of its tenant', session],
  ['is not reachable', 'a session of another tenant', { ...session, ...otherTenant }],
])('a key %s by %s', (reachable, _, caller) => {
  expect(isOwn(key, caller)).toBe(reachable === 'is reachable');
});

test.each([
  ['no key list', { ...apiKey, keyIds: null }],
  ['a key list that names the key', { ...apiKey, keyIds: [makeId<KeyId>(), key.id] }],
  ['a session', session],
])('a key may be used by a caller with %s', (_, caller) => {
  expect(() => refuseUnlisted(caller, key.id)).not.toThrow();
});

test.each([
  ['a key list of other keys', { ...apiKey, keyIds: [makeId<KeyId>()] }],
  ['an empty key list', { ...apiKey, keyIds: [] }],
])('an API key cannot use a key that its key list does not name, whether the key exists or not: %s', (_, caller) => {
  const refused = notAllowed("this key is not in the api key's key list");
  expect(() => refuseUnlisted(caller, key.id)).toThrow(refused);
  expect(() => refuseUnlisted(caller, makeId())).toThrow(refused);
});

test('an API key with a key list cannot create keys', () => {
  const refused = notAllowed('an api key with a key list cannot create keys');
  expect(() => refuseKeyList({ ...apiKey, keyIds: [key.id] })).toThrow(refused);
  expect(() => refuseKeyList({ ...apiKey, keyIds: [] })).toThrow(refused);
  expect(() => refuseKeyList(apiKey)).not.toThrow();
  expect(() => refuseKeyList(session)).not.toThrow();
});

const destroyAfter = makeInstant(CREATED + 7 * DAY_US);
const pending = aKey({ state: 'pending_deletion', delete_requested_at: CREATED, destroy_after: destroyAfter });

function messageAt(us: number): string {
  try {
    refusePending(pending, { now: () => makeInstant(us) });
  } catch (error) {
    expect(error).toMatchObject({ code: 'key_pending_deletion' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('not refused');
}

test('use of a key pending deletion is refused, and the error names the time of destruction', () => {
  expect(messageAt(CREATED)).toContain('2026-10-22T12:00:00.000000Z');
  expect(messageAt(destroyAfter - 1)).toContain('2026-10-22T12:00:00.000000Z');
});

test('use of a key that is due for destruction is refused, and the error says that the key can no longer be restored', () => {
  expect(messageAt(destroyAfter)).toContain('can no longer be restored');
  expect(messageAt(destroyAfter + DAY_US)).toContain('can no longer be restored');
});

test('use of an active key is not refused', () => {
  expect(() => refusePending(key, { now: () => CREATED })).not.toThrow();
});

test.each([
  ['enabled', 'enabled'],
  ['retiring', 'destroy_scheduled'],
  ['destroy_scheduled', 'destroy_scheduled'],
] as const)('a version in the state %s is shown as %s', (state, shown) => {
  const key = aKey();
  const versions = key.versions.map((version) => ({ ...version, state }));
  expect(viewKey({ ...key, versions }).versions).toEqual([expect.objectContaining({ state: shown })]);
});

test('the key object matches the documented schema and does not reveal the names of CryptoKeys', () => {
  const view = viewKey(aKey());
  expect(keyAnswer.parse(view)).toEqual(view);
  expect(JSON.stringify(view)).not.toContain('cryptoKeys');
});

const ROTATIONS = 20_000;
const CRYPTO_KEY = 'projects/p/locations/europe-west1/keyRings/tenants/cryptoKeys/8f6b1c1e-3a57-4b6e-9a0f-4d2f1f0c9a11';

/** Returns the stored material of a version, of the same length as material from the KMS. */
function materialOf(tier: Tier, version: number): KeyVersion['material'] {
  if (TIER[tier].sharesRoot) return { kind: 'data_key', wrapped: Buffer.alloc(96, version) };
  return { kind: 'crypto_key_version', name: `${CRYPTO_KEY}/cryptoKeyVersions/${version}` };
}

function makeKeyOf(tier: Tier): Key {
  const material = materialOf(tier, 1);
  return aKey({ tier, versions: [{ version: 1, state: 'enabled', created_at: CREATED, material }] });
}

function retireAndDestroy(promoted: Key): Key {
  const retired = withSurplusRetired(promoted, promoted);
  return withRetiringDestroyed(retired, retired);
}

/** Returns the key after `times` rotations. Each rotation’s retired versions are destroyed before the next rotation. */
function rotated(key: Key, times: number): Key {
  let now = key;
  for (let time = 1; time <= times; time++) {
    const promoted = withPrimary(now, materialOf(key.tier, now.primary_version + 1), makeInstant(CREATED + time));
    now = retireAndDestroy(promoted);
  }
  return now;
}

/** Returns roughly the number of bytes that Firestore stores for a key, field names included. */
function bytesOf(key: Key): number {
  return Buffer.byteLength(JSON.stringify(KEYS.encode(key)));
}

const states = (key: Key) => key.versions.map(({ version, state }) => `${version} ${state}`);

test.each([
  ['free', 1, [], [1]],
  ['wrapped', 3, [], [3]],
  ['software', 1, [1], []],
  ['software', 2, [1, 2], []],
  ['software', 3, [2, 3], [1]],
  ['software', 9, [8, 9], [7]],
  ['hsm', 1, [1], []],
  ['hsm', 2, [2], [1]],
] as const)(
  'the next rotation of a %s key at version %d keeps the versions %j and retires the versions %j',
  (tier, version, keeps, retires) => {
    const key = rotated(makeKeyOf(tier), version - 1);
    expect(nextRotation(key)).toEqual({ version: version + 1, keeps, retires });
  },
);

describe.each(TIERS)('a %s key after 20,000 rotations', (tier) => {
  const retained = TIER[tier].retainedVersions;
  const young = makeKeyOf(tier);
  const old = rotated(young, ROTATIONS);

  test('a key with many rotations keeps its retained versions enabled and lists the ten newest destroyed versions', () => {
    const enabled = Array.from({ length: retained }, (_, at) => `${ROTATIONS + 2 - retained + at} enabled`);
    const gone = Array.from({ length: 10 }, (_, at) => `${ROTATIONS - 8 - retained + at} destroy_scheduled`);
    expect(states(old)).toEqual([...gone, ...enabled]);
    expect(old.primary_version).toBe(ROTATIONS + 1);
    expect(shownVersions(old)).toEqual(old.versions);
  });

  test('the document of a key does not grow with many rotations', () => {
    const few = rotated(young, retained + 10);
    // The 200 bytes are for the additional digits of large version numbers.
    expect(bytesOf(old)).toBeLessThanOrEqual(bytesOf(few) + 200);
    expect(bytesOf(old)).toBeLessThan(bytesOf(young) + 4_096);
  });

  test('after many rotations, the record still shows whether the key has a CryptoKey, even once the key is destroyed', () => {
    expect(hasCryptoKey(old)).toBe(hasCryptoKey(young));
    const destroyed = withoutMaterial(old);
    expect(states(destroyed)).toHaveLength(10);
    expect(hasCryptoKey(destroyed)).toBe(hasCryptoKey(young));
  });

  test('no data key is left in the record of a key that is destroyed after many rotations', () => {
    for (const { material } of withoutMaterial(old).versions) {
      if (material.kind === 'data_key') expect(material.wrapped).toBeNull();
    }
  });
});

const promoted = withPrimary(rotated(makeKeyOf('software'), 2), materialOf('software', 4), makeInstant(CREATED + 9));

test('until they are retired, they stay enabled and the next rotation retires them too', () => {
  expect(states(promoted)).toEqual(['1 enabled', '2 enabled', '3 enabled', '4 enabled']);
  expect(surplusVersions(promoted).map(({ version }) => version)).toEqual([1]);
  expect(nextRotation(promoted)).toEqual({ version: 5, keeps: [3, 4], retires: [1, 2] });
});

test('a version stopped being primary when the next one was created', () => {
  const [first, second, third, fourth] = promoted.versions;
  expect([first, second, third].map((version) => version && replacedAt(promoted, version))).toEqual([
    second?.created_at,
    third?.created_at,
    CREATED + 9,
  ]);
  expect(fourth && replacedAt(promoted, fourth)).toBeUndefined();
});

test('a retired version is listed for destruction in the KMS until it is destroyed there', () => {
  const retired = withSurplusRetired(promoted, promoted);
  expect(states(retired)).toEqual(['1 retiring', '2 enabled', '3 enabled', '4 enabled']);
  expect(namesInKms(retired, 'retiring')).toEqual([`${CRYPTO_KEY}/cryptoKeyVersions/1`]);
  expect(states(withRetiringDestroyed(retired, retired))[0]).toBe('1 destroy_scheduled');
});

test('retired versions stay in the record until they are destroyed in the KMS, however many there are', () => {
  let key = makeKeyOf('software');
  for (let version = 2; version <= 20; version++) key = withPrimary(key, materialOf('software', version), CREATED);
  key = withSurplusRetired(key, key);
  expect(retiringCount(key)).toBe(17);
  expect(namesInKms(key, 'retiring')).toHaveLength(17);
  expect(shownVersions(key)).toHaveLength(13);
  expect(retiringCount(withRetiringDestroyed(key, key))).toBe(0);
});

test('a rotation retires only versions that its own commit or an earlier one replaced', () => {
  const first = withPrimary(makeKeyOf('wrapped'), materialOf('wrapped', 2), CREATED);
  const second = withPrimary(first, materialOf('wrapped', 3), CREATED);
  expect(states(withSurplusRetired(second, first))).toEqual(['1 destroy_scheduled', '2 enabled', '3 enabled']);
});

test('a rotation does not retire a version that was primary until a moment ago, if another one came at the same time', () => {
  const first = withPrimary(rotated(makeKeyOf('hsm'), 1), materialOf('hsm', 3), CREATED);
  const second = withPrimary(first, materialOf('hsm', 4), CREATED);
  expect(states(withSurplusRetired(second, first))).toEqual(['1 retiring', '2 enabled', '3 enabled', '4 enabled']);
});

test('a rotation marks only the versions that it retired as destroyed, even if another rotation has been committed since', () => {
  const promotedFirst = withPrimary(rotated(makeKeyOf('hsm'), 1), materialOf('hsm', 3), CREATED);
  const first = withSurplusRetired(promotedFirst, promotedFirst);
  const promotedSecond = withPrimary(first, materialOf('hsm', 4), CREATED);
  const second = withSurplusRetired(promotedSecond, promotedSecond);
  expect(states(withRetiringDestroyed(second, first))).toEqual([
    '1 destroy_scheduled',
    '2 retiring',
    '3 enabled',
    '4 enabled',
  ]);
});
