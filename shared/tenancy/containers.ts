import { byAge } from '../base/age.ts';
import { type ContainerId, makeId, type TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError, notFound } from '../errors.ts';
import { KEYS_OF_CONTAINER } from '../keys/key.ts';
import { isAlreadyExists } from '../store/store.ts';
import { API_KEYS_OF_CONTAINER } from './api-key.ts';
import { moveClaim, nameClaim } from './claim.ts';
import { CONTAINERS, CONTAINERS_OF_TENANT, type Container } from './container.ts';
import { FIREWALLS_OF_CONTAINER } from './firewall.ts';
import { placeAmong, takePlaces } from './places.ts';
import { removeUnheld } from './removal.ts';

/** The states of a key that fills its container, one that is being made included. */
const FILLING = ['creating', 'active', 'pending_deletion'] as const;

/** Makes a container. Throws `container_exists`, `limit_reached`, or `unavailable` when too many are being made. */
export async function createContainer(env: Env, tenantId: TenantId, name: string): Promise<Container> {
  const now = env.clock.now();
  const id = makeId<ContainerId>();
  const container = { id, tenant_id: tenantId, name, is_default: false, created_at: now, filled_at: now };
  await takePlaces(env, {
    tenantId,
    places: [placeAmong('containers')],
    name: { claim: claimOf(container), holder: id, taken: containerExists },
    write: (writes) => writes.create(CONTAINERS, id, container),
  });
  return container;
}

/** The tenant's containers, oldest first. */
export async function listContainers(env: Env, tenantId: TenantId): Promise<Container[]> {
  return (await env.store.selectAll(CONTAINERS_OF_TENANT, { equal: [tenantId] })).sort(byAge);
}

/** A container of the tenant. Throws `not_found`. */
export async function loadContainer(env: Env, tenantId: TenantId, id: ContainerId): Promise<Container> {
  return ownOf(await env.store.find(CONTAINERS, id), tenantId);
}

/** Gives a container another name. Throws `not_found` or `container_exists`. */
export async function renameContainer(env: Env, tenantId: TenantId, id: ContainerId, name: string): Promise<Container> {
  try {
    return await env.store.transact(async (tx) => {
      const container = ownOf(await tx.find(CONTAINERS, id), tenantId);
      if (container.name === name) return container;
      const renamed = { ...container, name };
      await moveClaim(tx, claimOf(container), claimOf(renamed), id);
      tx.replace(CONTAINERS, id, renamed);
      return renamed;
    });
  } catch (error) {
    throw isAlreadyExists(error) ? containerExists() : error;
  }
}

/** Deletes an empty container. Throws `not_found`, `container_is_default` or `container_not_empty`. */
export function deleteContainer(env: Env, tenantId: TenantId, id: ContainerId): Promise<void> {
  return removeUnheld(env, {
    tenantId,
    from: CONTAINERS,
    id,
    counter: 'containers',
    ownOf: (found) => ownOf(found, tenantId),
    claimOf,
    async refuseHeld({ is_default }) {
      if (is_default) throw new ApiError('container_is_default', 'the default container cannot be deleted');
      if (!(await isFilled(env, id))) return;
      throw new ApiError('container_not_empty', 'the container still holds keys, live api keys or firewalls');
    },
  });
}

async function isFilled(env: Env, id: ContainerId): Promise<boolean> {
  const held = await Promise.all([
    env.store.select(KEYS_OF_CONTAINER, { equal: [id], anyOf: FILLING, limit: 1 }),
    env.store.select(API_KEYS_OF_CONTAINER, { equal: [id, null], limit: 1 }),
    env.store.select(FIREWALLS_OF_CONTAINER, { equal: [id], limit: 1 }),
  ]);
  return held.some((some) => some.length > 0);
}

function ownOf(container: Container | undefined, tenantId: TenantId): Container {
  if (container?.tenant_id !== tenantId) throw notFound();
  return container;
}

function claimOf({ tenant_id, name }: Container): string {
  return nameClaim('container', tenant_id, name);
}

function containerExists(): ApiError {
  return new ApiError('container_exists', 'another container of the tenant has the name');
}
