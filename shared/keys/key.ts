import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { bytesField, collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import { tierSchema } from './tiers.ts';

/** What a version's cryptography rests on: a data key under the shared root (wiped once the version is retired), or a CryptoKeyVersion. */
const material = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('data_key'), wrapped: bytesField.nullable() }),
  z.object({ kind: z.literal('crypto_key_version'), name: z.string() }),
]);

const version = z.object({
  version: z.int().min(1),
  /** `retiring`: replaced, but the KMS has yet to be told to destroy it. */
  state: z.enum(['enabled', 'retiring', 'destroy_scheduled']),
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
  /** Whether its destruction has begun: from then on nothing restores it, whatever any process's clock says. */
  destroying: z.boolean(),
  destroyed_at: instantField.nullable(),
  primary_version: z.int().min(0),
  versions: z.array(version),
  deletions: z.array(deletion),
  /** When work with the KMS last began, while any is not finished: what a crash cut off is found by it. */
  unfinished_since: instantField.nullable(),
  /** Rotations under way, those cut off included: while there are any, the work is not finished. */
  rotations: z.int().min(0),
  /** When `destroy-due-keys` has work on the key, or will have; `null` while there is none in sight. */
  due_at: instantField.nullable(),
  /** When it is to look at the key next: then, or later where it has failed. */
  attend_at: instantField.nullable(),
});

/** A key as stored. */
export type Key = z.output<typeof key>;
/** One version of a key. */
export type KeyVersion = Key['versions'][number];

/** `keys/{key id}` */
export const KEYS = collection('keys', key);
/** The keys of a tenant in some states. */
export const KEYS_OF_TENANT: Query<Key> = { from: KEYS, equal: ['tenant_id'], anyOf: 'state' };
/** The destroyed keys of a tenant, of some tiers, the longest destroyed first. */
export const KEYS_DESTROYED: Query<Key> = {
  from: KEYS,
  equal: ['tenant_id'],
  anyOf: 'tier',
  range: { field: 'destroyed_at', order: 'asc' },
};
/** The keys of a container in some states. */
export const KEYS_OF_CONTAINER: Query<Key> = { from: KEYS, equal: ['container_id'], anyOf: 'state' };
/** The keys that `destroy-due-keys` has work on, the longest due first. */
export const KEYS_BY_DUE: Query<Key> = { from: KEYS, equal: [], range: { field: 'due_at', order: 'asc' } };
/** The same by when it is to look at them. */
export const KEYS_TO_ATTEND: Query<Key> = { from: KEYS, equal: [], range: { field: 'attend_at', order: 'asc' } };

/** The states of a key that its owner can see. */
export const LIVE_STATES = ['active', 'pending_deletion'] as const;

/** Whether a key is one that its owner can see: made, and not destroyed. */
export function isLive(candidate: Key): boolean {
  return LIVE_STATES.some((state) => state === candidate.state);
}

/** The version that new ciphertext is made under. Throws when the key has none, which no live key is. */
export function primaryVersion(of: Key): KeyVersion {
  const primary = of.versions.find((candidate) => candidate.version === of.primary_version);
  if (primary === undefined) throw new Error(`key ${of.id} has no primary version`);
  return primary;
}
