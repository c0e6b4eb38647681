import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { bytesField, collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import { tierSchema } from '../tiers.ts';

/** A data key wrapped by the shared root (`null` once the version is retired), or a CryptoKeyVersion. */
const material = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data_key'), wrapped: bytesField.nullable() }),
  z.object({ kind: z.literal('crypto_key_version'), name: z.string() }),
]);

const version = z.object({
  version: z.int().min(1),
  /** `retiring`: retired by a rotation, but not yet destroyed in the KMS. */
  state: z.enum(['enabled', 'retiring', 'destroy_scheduled']),
  created_at: instantField,
  material,
});

const deletion = z.object({ requested_at: instantField, restored_at: instantField.nullable() });

const key = z.object({
  id: idSchema<KeyId>(),
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  name: z.string(),
  tier: tierSchema,
  /** `creating`: not yet usable. `abandoned`: creation failed, material remains. `destroyed`: kept for billing. */
  state: z.enum(['creating', 'abandoned', 'active', 'pending_deletion', 'destroyed']),
  created_at: instantField,
  delete_requested_at: instantField.nullable(),
  destroy_after: instantField.nullable(),
  /** When the key was frozen; `null` if it is not frozen. A key of any state can be frozen. */
  frozen_at: instantField.nullable().default(null),
  /** Whether destruction has begun. If so, the key cannot be restored, even if the clock is set back. */
  destroying: z.boolean(),
  destroyed_at: instantField.nullable(),
  /** The id of the request that destroyed the key; `null` if `destroy-due-keys` did. */
  destroyed_by: z.string().nullable().optional(),
  primary_version: z.int().min(0),
  /** Set after a database restore: the highest version number that the backup lacks. New versions get higher ones. */
  lost_version: z.int().min(1).optional(),
  versions: z.array(version),
  deletions: z.array(deletion),
  /** When unfinished work with the KMS last began. Shows whether a crash interrupted the work. */
  unfinished_since: instantField.nullable(),
  /** The number of rotations in progress, including interrupted ones. */
  rotations: z.int().min(0),
  /** When `destroy-due-keys` must process the key; `null` for never. */
  due_at: instantField.nullable(),
  /** The time of the next attempt: `due_at`, or later after a failure. */
  retry_at: instantField.nullable(),
});

export type Key = z.output<typeof key>;
export type KeyVersion = Key['versions'][number];

export const KEYS = collection('keys', key);
export const KEYS_OF_ALL: Query<Key> = { from: KEYS, equal: [] };
export const KEYS_OF_TENANT: Query<Key> = { from: KEYS, equal: ['tenant_id'], anyOf: 'state' };
export const KEYS_DESTROYED: Query<Key> = {
  from: KEYS,
  equal: ['tenant_id'],
  anyOf: 'tier',
  range: { field: 'destroyed_at', order: 'asc' },
};
export const KEYS_OF_CONTAINER: Query<Key> = { from: KEYS, equal: ['container_id'], anyOf: 'state' };
export const KEYS_BY_DUE: Query<Key> = { from: KEYS, equal: [], range: { field: 'due_at', order: 'asc' } };
export const KEYS_BY_RETRY: Query<Key> = { from: KEYS, equal: [], range: { field: 'retry_at', order: 'asc' } };

export const LIVE_STATES = ['active', 'pending_deletion'] as const;

export function isLive(candidate: Key): boolean {
  return LIVE_STATES.some((state) => state === candidate.state);
}

/** Returns the primary version, which a live key always has. Throws an `Error` if it is missing. */
export function primaryVersion(of: Key): KeyVersion {
  const primary = of.versions.find((candidate) => candidate.version === of.primary_version);
  if (primary === undefined) throw new Error(`key ${of.id} has no primary version`);
  return primary;
}
