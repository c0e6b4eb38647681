import type { Instant } from '../base/clock.ts';
import type { Env } from '../env.ts';
import type { Key, KeyVersion } from './key.ts';
import { TIER, type Tier } from './tiers.ts';
import { hasCryptoKey, namesInKms, retiringCount } from './versions.ts';

type Material = KeyVersion['material'];

/** Awaited before each version that the KMS is to destroy: it waits for a write, or throws where there is none in time. */
export type Spend = () => Promise<void>;

/** The {@link Spend} of a change that has taken its writes before it began. */
export const PREPAID: Spend = async () => undefined;

/** Makes the material of a new key's first version: a data key under the shared root where tier and deployment have it, else a CryptoKey. */
export async function makeFirstMaterial(env: Env, key: Key): Promise<Material> {
  if (sharesRoot(env, key.tier)) return makeDataKey(env, key, 1);
  return { kind: 'crypto_key_version', name: await env.kms.createCryptoKey(key.id, TIER[key.tier].protection) };
}

/** Makes the material of a key's version `version`, of the same kind as that of its others. */
export async function makeNextMaterial(env: Env, key: Key, version: number): Promise<Material> {
  if (!hasCryptoKey(key)) return makeDataKey(env, key, version);
  return { kind: 'crypto_key_version', name: await env.kms.createVersion(key.id) };
}

/** How many writes the KMS is asked for by a creation, a rotation and a destruction: none for what the shared root holds. */
export const KMS_WRITES = {
  creation: (env: Env, tier: Tier): number => (sharesRoot(env, tier) ? 0 : 1),
  /** One version is made and one replaced, besides those that earlier rotations replaced. */
  rotation: (key: Key): number => (hasCryptoKey(key) ? 2 + retiringCount(key) : 0),
  destruction: (key: Key): number => namesInKms(key, 'enabled', 'retiring').length,
};

/** Has the KMS destroy every version of the key, those included that a rotation may have kept out of its record. */
export async function destroyVersions(env: Env, key: Key, spend: Spend): Promise<void> {
  await destroyNamed(env, namesInKms(key, 'enabled', 'retiring'), spend);
  if (!hasCryptoKey(key) || key.rotations === 0) return;
  const left = await env.kms.listVersions(key.id);
  await destroyNamed(
    env,
    left.map(({ name }) => name),
    spend,
  );
}

/** Has the KMS destroy what a creation that was cut off may have made. */
export async function destroyFirstVersion(env: Env, { id }: Key, spend: Spend): Promise<void> {
  await destroyNamed(env, [env.kms.firstVersion(id)], spend);
}

/** Has the KMS destroy the versions that the key's record holds as retiring. */
export async function destroyRetiring(env: Env, key: Key, spend: Spend): Promise<void> {
  await destroyNamed(env, namesInKms(key, 'retiring'), spend);
}

/**
 * Has the KMS destroy the versions that a cut-off rotation made and that never came into the key's record. Younger ones
 * may be of a rotation that is under way: they are left alone.
 */
export async function destroyStrays(env: Env, key: Key, madeBefore: Instant, spend: Spend): Promise<void> {
  if (!hasCryptoKey(key)) return;
  const known = new Set(namesInKms(key, 'enabled', 'retiring', 'destroy_scheduled'));
  const strays = (await env.kms.listVersions(key.id)).filter(
    ({ name, createdAt }) => !known.has(name) && createdAt < madeBefore,
  );
  await destroyNamed(
    env,
    strays.map(({ name }) => name),
    spend,
  );
}

async function destroyNamed(env: Env, names: readonly string[], spend: Spend): Promise<void> {
  for (const name of names) {
    await spend();
    await env.kms.destroyVersion(name);
  }
}

function sharesRoot(env: Env, tier: Tier): boolean {
  return TIER[tier].sharesRoot && env.dataKeys !== undefined;
}

async function makeDataKey(env: Env, key: Key, version: number): Promise<Material> {
  if (env.dataKeys === undefined) throw new Error('the wrapped root that holds this key is not configured');
  const place = { tenantId: key.tenant_id, keyId: key.id, version };
  return { kind: 'data_key', wrapped: await env.dataKeys.make(place) };
}
