import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { bytesField, collection, instantField } from '../store/collection.ts';
import { tierSchema } from './tiers.ts';

/** What a version's cryptography rests on: a data key under the shared root (wiped once the version is retired), or a CryptoKeyVersion. */
const material = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data_key'), wrapped: bytesField.nullable() }),
  z.object({ kind: z.literal('crypto_key_version'), name: z.string() }),
]);

const version = z.object({
  version: z.int().min(1),
  state: z.enum(['enabled', 'destroy_scheduled']),
  created_at: instantField,
  material,
});

/** One deletion request, and its restoration if there was one: what billing by the day needs of a key's past. */
const deletion = z.object({ requested_at: instantField, restored_at: instantField.nullable() });

const key = z.object({
  id: idSchema<KeyId>(),
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  name: z.string(),
  tier: tierSchema,
  /**
   * `creating`: claimed, not yet made. `abandoned`: could not be made, its material not yet cleared. `destroyed`: kept
   * for billing and the audit log. None of the three is ever shown.
   */
  state: z.enum(['creating', 'abandoned', 'active', 'pending_deletion', 'destroyed']),
  created_at: instantField,
  delete_requested_at: instantField.nullable(),
  destroy_after: instantField.nullable(),
  destroyed_at: instantField.nullable(),
  primary_version: z.int().min(0),
  versions: z.array(version),
  deletions: z.array(deletion),
});

/** A key as stored. */
export type Key = z.output<typeof key>;
/** One version of a key. */
export type KeyVersion = Key['versions'][number];

/** `keys/{key id}` */
export const KEYS = collection('keys', key);

/** Whether a key is one that its owner can see: made, and not destroyed. */
export function isLive(candidate: Key): boolean {
  return candidate.state === 'active' || candidate.state === 'pending_deletion';
}

/** The version that new ciphertext is made under. Throws when the key has none, which no live key is. */
export function primaryVersion(of: Key): KeyVersion {
  const primary = of.versions.find((candidate) => candidate.version === of.primary_version);
  if (primary === undefined) throw new Error(`key ${of.id} has no primary version`);
  return primary;
}
