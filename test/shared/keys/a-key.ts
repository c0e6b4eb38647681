import { type Instant, makeInstant } from '../../../shared/base/clock.ts';
import { makeId } from '../../../shared/base/ids.ts';
import type { Key } from '../../../shared/keys/key.ts';

/** 2026-10-15T12:00:00Z */
export const CREATED: Instant = makeInstant(1_792_065_600_000_000);

/** Returns a stored active key with one version, after these changes. */
export function aKey(changes: Partial<Key> = {}): Key {
  return {
    id: makeId(),
    tenant_id: makeId(),
    container_id: makeId(),
    name: 'orders',
    tier: 'software',
    state: 'active',
    created_at: CREATED,
    delete_requested_at: null,
    destroy_after: null,
    frozen_at: null,
    destroying: false,
    destroyed_at: null,
    primary_version: 1,
    versions: [
      {
        version: 1,
        state: 'enabled',
        created_at: CREATED,
        material: {
          kind: 'crypto_key_version',
          name: 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1',
        },
      },
    ],
    deletions: [],
    unfinished_since: null,
    rotations: 0,
    due_at: null,
    retry_at: null,
    ...changes,
  };
}
