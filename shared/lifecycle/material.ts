import type { Instant } from '../base/clock.ts';
import type { Key, KeyVersion } from '../keys/key.ts';
import { hasCryptoKey, namesInKms, retiringCount } from '../keys/versions.ts';
import type { Kms } from '../kms/kms.ts';
import { TIER, type Tier } from '../tiers.ts';
import type { MaterialNeeds } from './needs.ts';

type Material = KeyVersion['material'];

/** Takes one KMS write before each destruction; waits, or throws when none is available in time. */
export type TakeWrite = () => Promise<void>;

/** For changes whose writes were taken in advance. */
export const ALREADY_TAKEN: TakeWrite = async () => undefined;

/** Makes a data key where tier and deployment use the shared root, else a CryptoKey. */
export async function makeFirstMaterial(needs: MaterialNeeds, key: Key): Promise<Material> {
  if (sharesRoot(needs, key.tier)) return makeDataKey(needs, key, 1);
  return { kind: 'crypto_key_version', name: await needs.kms.createCryptoKey(key.id, TIER[key.tier].protection) };
}

/** Makes the next version's material, of the same kind as the others. */
export async function makeNextMaterial(needs: MaterialNeeds, key: Key, version: number): Promise<Material> {
  if (!hasCryptoKey(key)) return makeDataKey(needs, key, version);
  return { kind: 'crypto_key_version', name: await needs.kms.createVersion(key.id) };
}

/** How many KMS writes each change takes; none for keys under the shared root. */
export const KMS_WRITES = {
  creation: (needs: MaterialNeeds, tier: Tier): number => (sharesRoot(needs, tier) ? 0 : 1),
  /** One version created and one destroyed, besides those that earlier rotations left. */
  rotation: (key: Key): number => (hasCryptoKey(key) ? 2 + retiringCount(key) : 0),
  destruction: (key: Key): number => namesInKms(key, 'enabled', 'retiring').length,
};

/** Destroys all versions in the KMS, also those that an interrupted rotation left out of the record. */
export async function destroyVersions(kms: Kms, key: Key, takeWrite: TakeWrite): Promise<void> {
  await destroyNamed(kms, namesInKms(key, 'enabled', 'retiring'), takeWrite);
  if (!hasCryptoKey(key) || key.rotations === 0) return;
  const left = await kms.listVersions(key.id);
  await destroyNamed(
    kms,
    left.map(({ name }) => name),
    takeWrite,
  );
}

export async function destroyFirstVersion(kms: Kms, { id }: Key, takeWrite: TakeWrite): Promise<void> {
  await destroyNamed(kms, [kms.firstVersion(id)], takeWrite);
}

export async function destroyRetiring(kms: Kms, key: Key, takeWrite: TakeWrite): Promise<void> {
  await destroyNamed(kms, namesInKms(key, 'retiring'), takeWrite);
}

/**
 * Destroys versions that an interrupted rotation left out of the record. Those made after `madeBefore` may belong to a
 * rotation in progress.
 */
export async function destroyOrphans(kms: Kms, key: Key, madeBefore: Instant, takeWrite: TakeWrite): Promise<void> {
  if (!hasCryptoKey(key)) return;
  const known = new Set(namesInKms(key, 'enabled', 'retiring', 'destroy_scheduled'));
  const orphans = (await kms.listVersions(key.id)).filter(
    ({ name, createdAt }) => !known.has(name) && createdAt < madeBefore,
  );
  await destroyNamed(
    kms,
    orphans.map(({ name }) => name),
    takeWrite,
  );
}

async function destroyNamed(kms: Kms, names: readonly string[], takeWrite: TakeWrite): Promise<void> {
  for (const name of names) {
    await takeWrite();
    await kms.destroyVersion(name);
  }
}

function sharesRoot(needs: MaterialNeeds, tier: Tier): boolean {
  return TIER[tier].sharesRoot && needs.dataKeys !== undefined;
}

async function makeDataKey(needs: MaterialNeeds, key: Key, version: number): Promise<Material> {
  if (needs.dataKeys === undefined) throw new Error('the wrapped root that holds this key is not configured');
  const place = { tenantId: key.tenant_id, keyId: key.id, version };
  return { kind: 'data_key', wrapped: await needs.dataKeys.make(place) };
}
