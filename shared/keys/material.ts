import type { Env } from '../env.ts';
import type { Key, KeyVersion } from './key.ts';
import { TIER } from './tiers.ts';

/** Makes the material of a new key's first version: a data key under the shared root where the tier and the deployment have it, else a CryptoKey. */
export async function makeFirstMaterial(env: Env, key: Key): Promise<KeyVersion['material']> {
  const { sharesRoot, protection } = TIER[key.tier];
  if (sharesRoot && env.dataKeys !== undefined) {
    const place = { tenantId: key.tenant_id, keyId: key.id, version: 1 };
    return { kind: 'data_key', wrapped: await env.dataKeys.make(place) };
  }
  return { kind: 'crypto_key_version', name: await env.kms.createCryptoKey(key.id, protection) };
}
