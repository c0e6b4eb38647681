import { describe, expect, test } from 'vitest';
import { makeInstant } from '../../../shared/base/clock.ts';
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
import { TIER, TIERS, type Tier } from '../../../shared/tiers.ts';
import { aKey, CREATED } from './a-key.ts';

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
  const retired = withSurplusRetired(promoted, promoted.primary_version);
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
  const retired = withSurplusRetired(promoted, 4);
  expect(states(retired)).toEqual(['1 retiring', '2 enabled', '3 enabled', '4 enabled']);
  expect(namesInKms(retired, 'retiring')).toEqual([`${CRYPTO_KEY}/cryptoKeyVersions/1`]);
  expect(states(withRetiringDestroyed(retired, retired))[0]).toBe('1 destroy_scheduled');
});

test('retired versions stay in the record until they are destroyed in the KMS, however many there are', () => {
  let key = makeKeyOf('software');
  for (let version = 2; version <= 20; version++) key = withPrimary(key, materialOf('software', version), CREATED);
  key = withSurplusRetired(key, 20);
  expect(retiringCount(key)).toBe(17);
  expect(namesInKms(key, 'retiring')).toHaveLength(17);
  expect(shownVersions(key)).toHaveLength(13);
  expect(retiringCount(withRetiringDestroyed(key, key))).toBe(0);
});

test('a rotation retires only versions that its own commit or an earlier one replaced', () => {
  const first = withPrimary(makeKeyOf('wrapped'), materialOf('wrapped', 2), CREATED);
  const second = withPrimary(first, materialOf('wrapped', 3), CREATED);
  expect(states(withSurplusRetired(second, 2))).toEqual(['1 destroy_scheduled', '2 enabled', '3 enabled']);
});

test('a rotation marks only the versions that it retired as destroyed, even if another rotation has been committed since', () => {
  const first = withSurplusRetired(withPrimary(rotated(makeKeyOf('hsm'), 1), materialOf('hsm', 3), CREATED), 3);
  const second = withSurplusRetired(withPrimary(first, materialOf('hsm', 4), CREATED), 4);
  expect(states(withRetiringDestroyed(second, first))).toEqual([
    '1 destroy_scheduled',
    '2 retiring',
    '3 enabled',
    '4 enabled',
  ]);
});
