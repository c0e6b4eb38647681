import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { KEYS, type Key, type KeyVersion, primaryVersion } from '../keys/key.ts';
import { namesInKms, withRotations } from '../keys/versions.ts';
import { type CryptoKeyVersion, versionNumber } from '../kms/inventory.ts';
import type { Store } from '../store/store.ts';
import { TIER } from '../tiers.ts';
import { replaceKey } from './due.ts';

/** Rotations that the KMS has and the stored key lacks, because the store was restored from an older backup. */
export interface LostRotations {
  readonly made: readonly KeyVersion[];
  /** The numbers of the versions that these rotations retired. */
  readonly retired: readonly number[];
}

/**
 * Finds enabled versions in the KMS that are newer than the stored primary. A version whose KMS number is n higher than
 * the primary's gets the primary's number plus n. So no number that the tenant saw before the restore is reused.
 */
export function findLostRotations(key: Key, inKms: readonly CryptoKeyVersion[]): LostRotations | undefined {
  const { material } = primaryVersion(key);
  if (material.kind !== 'crypto_key_version') return undefined;
  const primaryNumber = versionNumber(material.name);
  const made = inKms
    .filter(({ number, state }) => state === 'ENABLED' && number > primaryNumber)
    .map(
      ({ name, number, createdAt }): KeyVersion => ({
        version: key.primary_version + number - primaryNumber,
        state: 'enabled',
        created_at: createdAt,
        material: { kind: 'crypto_key_version', name },
      }),
    );
  const newest = made.at(-1);
  if (newest === undefined) return undefined;
  const oldestRetained = newest.version - TIER[key.tier].retainedVersions + 1;
  const destroyed = new Set(inKms.filter(({ state }) => state.startsWith('DESTROY')).map(({ name }) => name));
  const retired = key.versions.filter(
    (version) =>
      version.version < oldestRetained &&
      namesInKms({ versions: [version] }, 'enabled').some((name) => destroyed.has(name)),
  );
  return { made, retired: retired.map(({ version }) => version) };
}

/**
 * Stores the versions of lost rotations. Later, `destroy-due-keys` makes the newest version primary in the KMS. Returns
 * `false` if `read` is outdated.
 */
export function adoptRotations(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  read: Key,
  { made, retired }: LostRotations,
): Promise<boolean> {
  const adopted = withRotations(read, made, retired);
  return store.transact(async (tx) => {
    if (!isDeepStrictEqual(await tx.find(KEYS, read.id), read)) return false;
    replaceKey(tx, { ...adopted, rotations: Math.max(1, read.rotations), unfinished_since: clock.now() });
    return true;
  });
}
