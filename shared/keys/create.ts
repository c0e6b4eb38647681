import { makeEvent, type Origin } from '../audit/record.ts';
import { type ContainerId, makeId, type TenantId } from '../base/ids.ts';
import { isInGoodStanding } from '../billing/standing.ts';
import type { Env } from '../env.ts';
import { ApiError, rowNotWritten } from '../errors.ts';
import { isNotFound } from '../store/store.ts';
import { CONTAINERS } from '../tenancy/container.ts';
import { invalidContainer } from '../tenancy/placement.ts';
import { takePlaces } from '../tenancy/places.ts';
import { replaceKey, withDue } from './attention.ts';
import { giveBack, keyExists, nameClaimOf, placesOf } from './claims.ts';
import { KEYS, type Key } from './key.ts';
import { KMS_WRITES, makeFirstMaterial } from './material.ts';
import { TIER, type Tier } from './tiers.ts';

/** What a new key is to be. */
export interface NewKey {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly tier: Tier;
  readonly containerId: ContainerId;
}

/** Refuses (`billing_required`) a paid key while the tenant's billing is not in good standing. */
export async function refuseUnpaidTier(env: Env, tenantId: TenantId, tier: Tier): Promise<void> {
  if (!TIER[tier].paid || (await isInGoodStanding(env, tenantId))) return;
  throw new ApiError('billing_required', "a paid key needs the tenant's billing in good standing");
}

/**
 * Makes a key: claims its name and its places, makes its material, then shows it, with its audit row. When the material or
 * the row cannot be made, what was claimed is given back. Throws `key_exists`, `free_key_exists`, `limit_reached`,
 * `invalid_container` when the container was deleted meanwhile, or `unavailable` when too many keys are being changed or
 * were within a minute.
 */
export function createKey(env: Env, origin: Origin, wanted: NewKey): Promise<Key> {
  return env.keyChanges.create(wanted.tenantId, async () => {
    env.kmsWrites.take(wanted.tenantId, KMS_WRITES.creation(env, wanted.tier));
    const claimed = await claim(env, wanted);
    try {
      return await activate(env, origin, claimed);
    } catch (error) {
      await giveUp(env, origin, claimed);
      throw error;
    }
  });
}

async function claim(env: Env, { tenantId, name, tier, containerId }: NewKey): Promise<Key> {
  const now = env.clock.now();
  const key = withDue({
    id: makeId(),
    tenant_id: tenantId,
    container_id: containerId,
    name,
    tier,
    state: 'creating',
    created_at: now,
    delete_requested_at: null,
    destroy_after: null,
    destroying: false,
    destroyed_at: null,
    primary_version: 0,
    versions: [],
    deletions: [],
    unfinished_since: now,
    rotations: 0,
    due_at: null,
    attend_at: null,
  });
  try {
    await takePlaces(env, {
      tenantId,
      places: placesOf(env, key),
      name: { claim: nameClaimOf(key), holder: key.id, taken: keyExists },
      write: (writes) => {
        writes.setInstant(CONTAINERS, containerId, 'filled_at', now);
        writes.create(KEYS, key.id, key);
      },
    });
  } catch (error) {
    throw isNotFound(error) ? invalidContainer() : error;
  }
  return key;
}

async function activate(env: Env, origin: Origin, claimed: Key): Promise<Key> {
  const material = await makeFirstMaterial(env, claimed);
  const first = { version: 1, state: 'enabled', created_at: claimed.created_at, material } as const;
  const key: Key = { ...claimed, state: 'active', primary_version: 1, versions: [first], unfinished_since: null };
  try {
    await env.store.transact(async (tx) => {
      if ((await tx.find(KEYS, key.id))?.state !== 'creating') throw new Error('the creation has been given up');
      replaceKey(tx, key);
      env.audit.append(tx, makeEvent(env, origin, 'create_key', key.id));
    });
  } catch (cause) {
    throw rowNotWritten(cause);
  }
  return key;
}

/**
 * Frees name and places at once, unless the key came to be after all. What is left of it is never shown; a CryptoKey that was made
 * for it is destroyed later.
 */
async function giveUp(env: Env, { requestId }: Origin, key: Key): Promise<void> {
  try {
    await env.store.transact(async (tx) => {
      if ((await tx.find(KEYS, key.id))?.state !== 'creating') return;
      await giveBack(tx, env, key);
      replaceKey(tx, { ...key, state: 'abandoned' });
    });
  } catch (error) {
    const fields = { request_id: requestId, key_id: key.id };
    env.log.write(
      'ERROR',
      'a key that could not be created keeps its name and places until it is cleared',
      fields,
      error,
    );
  }
}
