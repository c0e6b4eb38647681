import type { Instant } from '../base/clock.ts';
import type { Env } from '../env.ts';
import type { Key, KeyVersion } from './key.ts';
import { TIER } from './tiers.ts';

type Material = KeyVersion['material'];

/** Makes the material of a new key's first version: a data key under the shared root where tier and deployment have it, else a CryptoKey. */
export async function makeFirstMaterial(env: Env, key: Key): Promise<Material> {
  const { sharesRoot, protection } = TIER[key.tier];
  if (sharesRoot && env.dataKeys !== undefined) return makeDataKey(env, key, 1);
  return { kind: 'crypto_key_version', name: await env.kms.createCryptoKey(key.id, protection) };
}

/** Makes the material of a key's version `version`, of the same kind as that of its others. */
export async function makeNextMaterial(env: Env, key: Key, version: number): Promise<Material> {
  if (!hasCryptoKey(key)) return makeDataKey(env, key, version);
  return { kind: 'crypto_key_version', name: await env.kms.createVersion(key.id) };
}

/** Has the KMS destroy every version of the key, those included that a crash kept out of its record. */
export async function destroyVersions(env: Env, key: Key): Promise<void> {
  if (hasCryptoKey(key)) await env.kms.destroyVersions(key.id, () => true);
}

/** Has the KMS destroy the versions that the key's record holds as retiring. */
export async function destroyRetiring(env: Env, key: Key): Promise<void> {
  const retiring = namesOf(key, ({ state }) => state === 'retiring');
  if (retiring.size > 0) await env.kms.destroyVersions(key.id, ({ name }) => retiring.has(name));
}

/**
 * Has the KMS destroy the versions that a cut-off rotation made and that never came into the key's record. Younger ones
 * may be of a rotation that is under way: they are left alone.
 */
export async function destroyStrays(env: Env, key: Key, madeBefore: Instant): Promise<void> {
  const known = namesOf(key, () => true);
  if (!hasCryptoKey(key)) return;
  await env.kms.destroyVersions(key.id, ({ name, createdAt }) => !known.has(name) && createdAt < madeBefore);
}

/** The key with no version left to use. */
export function withoutMaterial(key: Key): Key {
  return { ...key, versions: key.versions.map(retired) };
}

/** The version no longer enabled: a data key is wiped with that; a version in the KMS has still to be destroyed there. */
export function retire(version: KeyVersion): KeyVersion {
  return version.material.kind === 'data_key' ? retired(version) : { ...version, state: 'retiring' };
}

/** The version gone for good, its data key wiped. */
export function retired(version: KeyVersion): KeyVersion {
  const { material } = version;
  const wiped = material.kind === 'data_key' ? { ...material, wrapped: null } : material;
  return { ...version, state: 'destroy_scheduled', material: wiped };
}

/** Whether the KMS holds a CryptoKey for the key; one whose creation was cut off may have one. */
function hasCryptoKey(key: Key): boolean {
  return key.versions.every(({ material }) => material.kind === 'crypto_key_version');
}

/** The names in the KMS of those versions of the key. */
function namesOf(key: Key, isMeant: (version: KeyVersion) => boolean): Set<string> {
  const materials = key.versions.filter(isMeant).map(({ material }) => material);
  return new Set(materials.flatMap((material) => (material.kind === 'crypto_key_version' ? material.name : [])));
}

async function makeDataKey(env: Env, key: Key, version: number): Promise<Material> {
  if (env.dataKeys === undefined) throw new Error('the wrapped root that holds this key is not configured');
  const place = { tenantId: key.tenant_id, keyId: key.id, version };
  return { kind: 'data_key', wrapped: await env.dataKeys.make(place) };
}
