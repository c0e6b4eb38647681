import { byAge } from '../base/age.ts';
import { type ContainerId, type FirewallId, makeId, type TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError, notFound } from '../errors.ts';
import { isAlreadyExists, isNotFound } from '../store/store.ts';
import { API_KEYS_OF_FIREWALL } from './api-key.ts';
import { moveClaim, nameClaim } from './claim.ts';
import { CONTAINERS } from './container.ts';
import { FIREWALLS, FIREWALLS_OF_TENANT, type Firewall } from './firewall.ts';
import { invalidContainer } from './placement.ts';
import { placeAmong, takePlaces } from './places.ts';
import { removeUnheld } from './removal.ts';

/** What a new firewall is to be. */
export interface NewFirewall {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly name: string;
  readonly networks: string[];
}

/** What may change of a firewall. */
export interface FirewallChange {
  readonly name?: string | undefined;
  readonly networks?: string[] | undefined;
}

/**
 * Makes a firewall. Throws `firewall_exists`, `limit_reached`, `invalid_container` when the container was deleted meanwhile,
 * or `unavailable` when too many are being made.
 */
export async function createFirewall(env: Env, wanted: NewFirewall): Promise<Firewall> {
  const now = env.clock.now();
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
  try {
    await takePlaces(env, {
      tenantId: wanted.tenantId,
      places: [placeAmong('firewalls')],
      name: { claim: claimOf(firewall), holder: firewall.id, taken: firewallExists },
      write: (writes) => {
        writes.setInstant(CONTAINERS, firewall.container_id, 'filled_at', now);
        writes.create(FIREWALLS, firewall.id, firewall);
      },
    });
  } catch (error) {
    throw isNotFound(error) ? invalidContainer() : error;
  }
  return firewall;
}

/** The tenant's firewalls, oldest first. */
export async function listFirewalls(env: Env, tenantId: TenantId): Promise<Firewall[]> {
  return (await env.store.selectAll(FIREWALLS_OF_TENANT, { equal: [tenantId] })).sort(byAge);
}

/** A firewall of the tenant. Throws `not_found`. */
export async function loadFirewall(env: Env, tenantId: TenantId, id: FirewallId): Promise<Firewall> {
  return ownOf(await env.store.find(FIREWALLS, id), tenantId);
}

/** Changes a firewall: in force at the next request of the API keys held to it. Throws `not_found` or `firewall_exists`. */
export async function changeFirewall(
  env: Env,
  tenantId: TenantId,
  id: FirewallId,
  change: FirewallChange,
): Promise<Firewall> {
  try {
    return await env.store.transact(async (tx) => {
      const firewall = ownOf(await tx.find(FIREWALLS, id), tenantId);
      const { name = firewall.name, networks = firewall.allowed_ips } = change;
      if (change.name === undefined && change.networks === undefined) return firewall;
      const changed = { ...firewall, name, allowed_ips: networks, updated_at: env.clock.now() };
      if (name !== firewall.name) await moveClaim(tx, claimOf(firewall), claimOf(changed), id);
      tx.replace(FIREWALLS, id, changed);
      return changed;
    });
  } catch (error) {
    throw isAlreadyExists(error) ? firewallExists() : error;
  }
}

/** Deletes a firewall that no live API key is held to. Throws `not_found` or `firewall_in_use`. */
export function deleteFirewall(env: Env, tenantId: TenantId, id: FirewallId): Promise<void> {
  return removeUnheld(env, {
    tenantId,
    from: FIREWALLS,
    id,
    counter: 'firewalls',
    ownOf: (found) => ownOf(found, tenantId),
    claimOf,
    async refuseHeld() {
      const held = await env.store.select(API_KEYS_OF_FIREWALL, { equal: [id, null], limit: 1 });
      if (held.length > 0) throw new ApiError('firewall_in_use', 'live api keys are held to the firewall');
    },
  });
}

function ownOf(firewall: Firewall | undefined, tenantId: TenantId): Firewall {
  if (firewall?.tenant_id !== tenantId) throw notFound();
  return firewall;
}

function claimOf({ container_id, name }: Firewall): string {
  return nameClaim('firewall', container_id, name);
}

function firewallExists(): ApiError {
  return new ApiError('firewall_exists', 'another firewall in the container has the name');
}
