import { isDeepStrictEqual } from 'node:util';
import { byAge, type Clock } from '../base/clock.ts';
import type { FairQueue } from '../base/fair-queue.ts';
import { type ContainerId, type FirewallId, makeId, type TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ApiError, notFound } from '../errors.ts';
import { isAlreadyExists } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { API_KEYS_OF_FIREWALL } from './api-key.ts';
import { type Changed, reversed } from './changed.ts';
import { changedFields, givenFields } from './changes.ts';
import { moveClaim, nameClaim } from './claim.ts';
import { CONTAINERS } from './container.ts';
import { FIREWALLS, FIREWALLS_OF_TENANT, type Firewall } from './firewall.ts';
import { invalidContainer } from './placement.ts';
import type { RecordChange } from './record-change.ts';
import { logRedo } from './redo-log.ts';
import { removeUnreferenced } from './removal.ts';
import { slotAmong, takeSlots } from './slots.ts';
import { opensFirewall } from './weakening.ts';

interface NewFirewall {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly name: string;
  readonly networks: string[];
}

interface FirewallChange {
  readonly name?: string | undefined;
  readonly networks?: string[] | undefined;
}

/** Creates a firewall. Throws `firewall_exists`, `limit_reached`, `unavailable` or `invalid_container`. */
export async function createFirewall(
  services: { readonly store: Store; readonly clock: Clock; readonly creations: FairQueue },
  wanted: NewFirewall,
  record: RecordChange,
): Promise<Firewall> {
  const now = services.clock.now();
  const firewall: Firewall = {
    id: makeId<FirewallId>(),
    tenant_id: wanted.tenantId,
    container_id: wanted.containerId,
    name: wanted.name,
    allowed_ips: wanted.networks,
    created_at: now,
    updated_at: now,
    held_at: now,
  };
  await takeSlots(services, {
    tenantId: wanted.tenantId,
    slots: [slotAmong('firewalls')],
    name: { claim: firewallClaim(firewall), holder: firewall.id, taken: firewallExists },
    gone: invalidContainer,
    write: (writes) => {
      writes.setInstant(CONTAINERS, firewall.container_id, 'filled_at', now);
      writes.create(FIREWALLS, firewall.id, firewall);
      record(writes, firewall.id, givenFields({ name: wanted.name, allowed_ips: wanted.networks }));
    },
  });
  return firewall;
}

export async function listFirewalls(store: Store, tenantId: TenantId): Promise<Firewall[]> {
  return (await store.selectAll(FIREWALLS_OF_TENANT, { equal: [tenantId] })).sort(byAge);
}

/** Throws `not_found` unless the firewall belongs to the tenant. */
export async function loadFirewall(store: Store, tenantId: TenantId, id: FirewallId): Promise<Firewall> {
  return ownOf(await store.find(FIREWALLS, id), tenantId);
}

/** Changes a firewall. Writes nothing if nothing changes. Throws `not_found` or `firewall_exists`. */
export async function changeFirewall(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  tenantId: TenantId,
  id: FirewallId,
  change: FirewallChange,
  record: RecordChange,
): Promise<Changed<Firewall>> {
  try {
    return await store.transact(async (tx) => {
      const firewall = ownOf(await tx.find(FIREWALLS, id), tenantId);
      const { name = firewall.name, networks = firewall.allowed_ips } = change;
      if (name === firewall.name && isDeepStrictEqual(networks, firewall.allowed_ips))
        return { before: firewall, after: firewall };
      const changed = { ...firewall, name, allowed_ips: networks, updated_at: clock.now() };
      if (name !== firewall.name) await moveClaim(tx, firewallClaim(firewall), firewallClaim(changed), id);
      tx.replace(FIREWALLS, id, changed);
      record(tx, id, changedFields({ before: firewall, after: changed }, ['name', 'allowed_ips']));
      if (opensFirewall(reversed({ before: firewall.allowed_ips, after: networks })))
        logRedo(tx, log, {
          message: 'firewall tightened',
          tenant_id: tenantId,
          target_id: id,
          allowed_ips: networks,
        });
      return { before: firewall, after: changed };
    });
  } catch (error) {
    throw isAlreadyExists(error) ? firewallExists() : error;
  }
}

/** Deletes a firewall. Throws `not_found` or `firewall_in_use`. */
export function deleteFirewall(store: Store, tenantId: TenantId, id: FirewallId, record: RecordChange): Promise<void> {
  return removeUnreferenced(store, {
    tenantId,
    from: FIREWALLS,
    id,
    counter: 'firewalls',
    record,
    ownOf: (found) => ownOf(found, tenantId),
    claimOf: firewallClaim,
    async refuseReferenced() {
      const held = await store.select(API_KEYS_OF_FIREWALL, { equal: [id, null], limit: 1 });
      if (held.length > 0) throw new ApiError('firewall_in_use', 'api keys still use this firewall');
    },
  });
}

function ownOf(firewall: Firewall | undefined, tenantId: TenantId): Firewall {
  if (firewall?.tenant_id !== tenantId) throw notFound();
  return firewall;
}

export function firewallClaim({ container_id, name }: Firewall): string {
  return nameClaim('firewall', container_id, name);
}

function firewallExists(): ApiError {
  return new ApiError('firewall_exists', 'a firewall in this container already has this name');
}
