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

/** Has the KMS destroy every version of the key that its record does not hold as enabled. */
export async function destroyRetired(env: Env, key: Key): Promise<void> {
  const enabled = new Set(
    key.versions.flatMap(({ state, material }) =>
      state === 'enabled' && material.kind === 'crypto_key_version' ? [material.name] : [],
    ),
  );
  if (hasCryptoKey(key)) await env.kms.destroyVersions(key.id, (name) => !enabled.has(name));
}

/** The key with no version left to use: data keys are wiped, versions of the KMS are scheduled there. */
export function withoutMaterial(key: Key): Key {
  return { ...key, versions: key.versions.map((version) => retire(version, 'destroy_scheduled')) };
}

/** The version no longer enabled. A data key is gone with it at once. */
export function retire(version: KeyVersion, state: 'retiring' | 'destroy_scheduled'): KeyVersion {
  const { material } = version;
  return { ...version, state, material: material.kind === 'data_key' ? { ...material, wrapped: null } : material };
}

/** Whether the KMS holds a CryptoKey for the key; one whose creation was cut off may have one. */
function hasCryptoKey(key: Key): boolean {
  return key.versions.every(({ material }) => material.kind === 'crypto_key_version');
}

async function makeDataKey(env: Env, key: Key, version: number): Promise<Material> {
  if (env.dataKeys === undefined) throw new Error('the wrapped root that holds this key is not configured');
  const place = { tenantId: key.tenant_id, keyId: key.id, version };
  return { kind: 'data_key', wrapped: await env.dataKeys.make(place) };
}
