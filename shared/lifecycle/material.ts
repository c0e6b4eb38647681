import type { DataKeyCache } from '../crypto/data-key-cache.ts';
import { type Key, type KeyVersion, primaryVersion } from '../keys/key.ts';
import { hasCryptoKey, namesInKms, nextRotation, retiringCount } from '../keys/versions.ts';
import type { Kms } from '../kms/kms.ts';
import { TIER, type Tier } from '../tiers.ts';

type Material = KeyVersion['material'];

/** Waits until the quota allows another KMS write. Throws if that takes too long. */
export type TakeWrite = () => Promise<void>;

/** Does not wait: for changes that have already taken all of their KMS writes. */
export const ALREADY_TAKEN: TakeWrite = async () => undefined;

/** Makes a data key if the tier's keys share a root in this deployment. Otherwise, makes a CryptoKey. */
export async function makeFirstMaterial(
  services: { readonly kms: Kms; readonly dataKeys: DataKeyCache | undefined },
  key: Key,
): Promise<Material> {
  if (sharesRoot(services, key.tier)) return makeDataKey(services, key, 1);
  return { kind: 'crypto_key_version', name: await services.kms.createCryptoKey(key.id, TIER[key.tier].protection) };
}

export async function makeNextMaterial(
  services: { readonly kms: Kms; readonly dataKeys: DataKeyCache | undefined },
  key: Key,
  version: number,
): Promise<Material> {
  if (!hasCryptoKey(key)) return makeDataKey(services, key, version);
  return { kind: 'crypto_key_version', name: await services.kms.createVersion(key.id) };
}

/** The number of KMS writes that a change needs. Keys under the shared root need none. */
export const KMS_WRITES = {
  creation: (services: { readonly kms: Kms; readonly dataKeys: DataKeyCache | undefined }, tier: Tier): number =>
    sharesRoot(services, tier) ? 0 : 1,
  /** A write to create a version, one to make it primary, and one to destroy each retired or retiring version. */
  rotation: (key: Key): number => (hasCryptoKey(key) ? 2 + nextRotation(key).retires.length + retiringCount(key) : 0),
  destruction: (key: Key): number => namesInKms(key, 'enabled', 'retiring').length,
};

/** Makes the stored primary version primary in the KMS, which can then report if a ciphertext is older. */
export async function makePrimaryInKms(kms: Kms, key: Key, takeWrite: TakeWrite): Promise<void> {
  const { material } = primaryVersion(key);
  if (material.kind !== 'crypto_key_version') return;
  await takeWrite();
  await kms.makePrimary(key.id, material.name);
}

/** Destroys all versions in the KMS, including versions that the stored key lacks. */
export async function destroyVersions(kms: Kms, key: Key, takeWrite: TakeWrite): Promise<void> {
  await destroyNamed(kms, namesInKms(key, 'enabled', 'retiring'), takeWrite);
  await destroyNamed(kms, await listInKms(kms, key), takeWrite);
}

export async function destroyFirstVersion(kms: Kms, { id }: Key, takeWrite: TakeWrite): Promise<void> {
  await destroyNamed(kms, [kms.firstVersion(id)], takeWrite);
}

export async function destroyRetiring(kms: Kms, key: Key, takeWrite: TakeWrite): Promise<void> {
  await destroyNamed(kms, namesInKms(key, 'retiring'), takeWrite);
}

export async function listInKms(kms: Kms, key: Key): Promise<string[]> {
  return hasCryptoKey(key) ? kms.listVersions(key.id) : [];
}

/** Destroys versions that the KMS has listed and that the stored key lacks. */
export async function destroyOrphans(
  kms: Kms,
  key: Key,
  listed: readonly string[],
  takeWrite: TakeWrite,
): Promise<void> {
  const known = new Set(namesInKms(key, 'enabled', 'retiring', 'destroy_scheduled'));
  const orphans = listed.filter((name) => !known.has(name));
  await destroyNamed(kms, orphans, takeWrite);
}

async function destroyNamed(kms: Kms, names: readonly string[], takeWrite: TakeWrite): Promise<void> {
  for (const name of names) {
    await takeWrite();
    await kms.destroyVersion(name);
  }
}

function sharesRoot(services: { readonly kms: Kms; readonly dataKeys: DataKeyCache | undefined }, tier: Tier): boolean {
  return TIER[tier].sharesRoot && services.dataKeys !== undefined;
}

async function makeDataKey(
  services: { readonly kms: Kms; readonly dataKeys: DataKeyCache | undefined },
  key: Key,
  version: number,
): Promise<Material> {
  if (services.dataKeys === undefined) throw new Error(`key ${key.id} needs WRAPPED_ROOT, which is not set`);
  const place = { tenantId: key.tenant_id, keyId: key.id, version };
  return { kind: 'data_key', wrapped: await services.dataKeys.make(place) };
}
