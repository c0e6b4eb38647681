import { describe, expect, test } from 'vitest';
import type { KeyVersion } from '../../../shared/keys/key.ts';
import { nextRotation, withRotations } from '../../../shared/keys/versions.ts';
import type { CryptoKeyVersion } from '../../../shared/kms/inventory.ts';
import { findLostRotations } from '../../../shared/lifecycle/lost-rotations.ts';
import { aKey, CREATED } from '../keys/a-key.ts';

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

describe('rotations in the KMS that are missing from the restored record', () => {
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
});
