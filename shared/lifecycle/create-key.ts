import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { Clock } from '../base/clock.ts';
import { type ContainerId, makeId, type TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { monthOf } from '../base/month.ts';
import { ApiError } from '../errors.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { Standing } from '../metering/standing.ts';
import { isUnanswered } from '../store/failures.ts';
import type { Reader, Store } from '../store/store.ts';
import { CONTAINERS } from '../tenancy/container.ts';
import { invalidContainer } from '../tenancy/placement.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { takeSlots } from '../tenancy/slots.ts';
import { TIER, type Tier } from '../tiers.ts';
import { creationCounters, freeClaims, keyExists, nameClaimOf, slotsOf } from './claims.ts';
import { replaceKey, withDue } from './due.ts';
import { changeRecorded } from './key-changes.ts';
import type { KeyServices } from './key-services.ts';
import { KMS_WRITES, makeFirstMaterial } from './material.ts';

interface NewKey {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly tier: Tier;
  readonly containerId: ContainerId;
}

/** Throws `billing_required` for a paid tier unless billing is in good standing. */
export async function refuseUnpaidTier(
  { standing, store }: { readonly standing: Standing; readonly store: Reader },
  tenantId: TenantId,
  tier: Tier,
): Promise<void> {
  if (!TIER[tier].paid || (await standing.isGood(store, tenantId))) return;
  throw new ApiError('billing_required', "a paid key needs the tenant's billing in good standing");
}

/**
 * Reserves the name and a slot within the limits, makes the key material, then activates the key. A failure frees the
 * reservations. Throws `key_exists`, `free_key_exists`, `limit_reached`, `unavailable`, or `invalid_container` if the
 * container was deleted.
 */
export function createKey(services: KeyServices, origin: Origin, wanted: NewKey): Promise<Key> {
  return services.keyChanges.create(wanted.tenantId, async () => {
    const claimed = newKey(services.clock, wanted);
    const writes = KMS_WRITES.creation(services, wanted.tier);
    let isClaimed = false;
    let mayBeInKms = false;
    try {
      await claim(services, claimed);
      isClaimed = true;
      await services.kmsWrites.take(wanted.tenantId, writes);
      mayBeInKms = writes > 0;
      return await activate(services, origin, claimed);
    } catch (error) {
      // Without an answer, the claim may be stored.
      if (isClaimed || isUnanswered(error)) await giveUp(services, origin, claimed, mayBeInKms);
      throw error;
    }
  });
}

function newKey(clock: Clock, { tenantId, name, tier, containerId }: NewKey): Key {
  const now = clock.now();
  return withDue({
    id: makeId(),
    tenant_id: tenantId,
    container_id: containerId,
    name,
    tier,
    state: 'creating',
    created_at: now,
    delete_requested_at: null,
    destroy_after: null,
    frozen_at: null,
    destroying: false,
    destroyed_at: null,
    primary_version: 0,
    versions: [],
    deletions: [],
    unfinished_since: now,
    rotations: 0,
    due_at: null,
    retry_at: null,
  });
}

function claim(services: KeyServices, key: Key): Promise<void> {
  return takeSlots(services, {
    tenantId: key.tenant_id,
    slots: slotsOf(key.tier, services.freeKeysAtMost, monthOf(key.created_at)),
    name: { claim: nameClaimOf(key), holder: key.id, taken: keyExists },
    gone: invalidContainer,
    write: (writes) => {
      writes.setInstant(CONTAINERS, key.container_id, 'filled_at', key.created_at);
      writes.create(KEYS, key.id, key);
    },
  });
}

async function activate(services: KeyServices, origin: Origin, claimed: Key): Promise<Key> {
  const material = await makeFirstMaterial(services, claimed);
  const first = { version: 1, state: 'enabled', created_at: claimed.created_at, material } as const;
  const key: Key = { ...claimed, state: 'active', primary_version: 1, versions: [first], unfinished_since: null };
  await changeRecorded(services.store, async (tx) => {
    if ((await tx.find(KEYS, key.id))?.state !== 'creating')
      throw new Error('the key creation was abandoned before it finished');
    replaceKey(tx, key);
    appendEvent(tx, makeEvent(services.clock, origin, 'create_key', key.id));
    logRedo(tx, services.log, { message: 'key created', tenant_id: key.tenant_id, target_id: key.id });
  });
  return key;
}

/** Frees the key's name and slots, unless the key is active. `destroy-due-keys` destroys a version in the KMS later. */
async function giveUp(
  { store, log }: { readonly store: Store; readonly log: Log },
  { requestId }: Origin,
  key: Key,
  mayBeInKms: boolean,
): Promise<void> {
  try {
    const created = await creationCounters(store, key);
    await store.unguarded.transact(async (tx) => {
      if ((await tx.find(KEYS, key.id))?.state !== 'creating') return;
      await freeClaims(tx, key, created);
      if (mayBeInKms) replaceKey(tx, { ...key, state: 'abandoned' });
      else tx.remove(KEYS, key.id);
    });
  } catch (error) {
    const fields = { request_id: requestId, key_id: key.id };
    log.write('key creation cleanup failed; destroy-due-keys retries it', fields, error);
  }
}
