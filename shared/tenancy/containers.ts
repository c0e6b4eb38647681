import { byAge, type Clock } from '../base/clock.ts';
import type { FairQueue } from '../base/fair-queue.ts';
import { type ContainerId, makeId, type TenantId } from '../base/ids.ts';
import { ApiError, notFound } from '../errors.ts';
import { isAlreadyExists } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { API_KEYS_OF_CONTAINER } from './api-key.ts';
import { changedFields, givenFields } from './changes.ts';
import { moveClaim, nameClaim } from './claim.ts';
import { CONTAINERS, CONTAINERS_OF_TENANT, type Container } from './container.ts';
import { FIREWALLS_OF_CONTAINER } from './firewall.ts';
import type { RecordChange } from './record-change.ts';
import { removeUnreferenced } from './removal.ts';
import { slotAmong, takeSlots } from './slots.ts';

/** Creates a container. Throws `container_exists`, `limit_reached`, or `unavailable` if too many creations wait. */
export async function createContainer(
  services: { readonly store: Store; readonly clock: Clock; readonly creations: FairQueue },
  tenantId: TenantId,
  name: string,
  record: RecordChange,
): Promise<Container> {
  const now = services.clock.now();
  const id = makeId<ContainerId>();
  const container = { id, tenant_id: tenantId, name, is_default: false, created_at: now, filled_at: now };
  await takeSlots(services, {
    tenantId,
    slots: [slotAmong('containers')],
    name: { claim: containerClaim(container), holder: id, taken: containerExists },
    write: (writes) => {
      writes.create(CONTAINERS, id, container);
      record(writes, id, givenFields({ name }));
    },
  });
  return container;
}

export async function listContainers(store: Store, tenantId: TenantId): Promise<Container[]> {
  return (await store.selectAll(CONTAINERS_OF_TENANT, { equal: [tenantId] })).sort(byAge);
}

/** Throws `not_found` unless the container belongs to the tenant. */
export async function loadContainer(store: Store, tenantId: TenantId, id: ContainerId): Promise<Container> {
  return ownOf(await store.find(CONTAINERS, id), tenantId);
}

/** Renames a container. Throws `not_found` or `container_exists`. */
export async function renameContainer(
  store: Store,
  tenantId: TenantId,
  id: ContainerId,
  name: string,
  record: RecordChange,
): Promise<Container> {
  try {
    return await store.transact(async (tx) => {
      const container = ownOf(await tx.find(CONTAINERS, id), tenantId);
      if (container.name === name) return container;
      const renamed = { ...container, name };
      await moveClaim(tx, containerClaim(container), containerClaim(renamed), id);
      tx.replace(CONTAINERS, id, renamed);
      record(tx, id, changedFields({ before: container, after: renamed }, ['name']));
      return renamed;
    });
  } catch (error) {
    throw isAlreadyExists(error) ? containerExists() : error;
  }
}

/** Deletes a container. Throws `not_found`, `container_is_default` or `container_not_empty`. */
export function deleteContainer(
  store: Store,
  tenantId: TenantId,
  id: ContainerId,
  holdsKeys: (id: ContainerId) => Promise<boolean>,
  record: RecordChange,
): Promise<void> {
  return removeUnreferenced(store, {
    tenantId,
    from: CONTAINERS,
    id,
    counter: 'containers',
    record,
    ownOf: (found) => ownOf(found, tenantId),
    claimOf: containerClaim,
    async refuseReferenced({ is_default }) {
      if (is_default) throw new ApiError('container_is_default', 'the default container cannot be deleted');
      const filled = await Promise.all([holdsKeys(id), holdsOthers(store, id)]);
      if (filled.includes(true))
        throw new ApiError(
          'container_not_empty',
          'the container still has keys (including keys pending deletion), api keys or firewalls',
        );
    },
  });
}

async function holdsOthers(store: Store, id: ContainerId): Promise<boolean> {
  const held = await Promise.all([
    store.select(API_KEYS_OF_CONTAINER, { equal: [id, null], limit: 1 }),
    store.select(FIREWALLS_OF_CONTAINER, { equal: [id], limit: 1 }),
  ]);
  return held.some((some) => some.length > 0);
}

function ownOf(container: Container | undefined, tenantId: TenantId): Container {
  if (container?.tenant_id !== tenantId) throw notFound();
  return container;
}

export function containerClaim({ tenant_id, name }: Container): string {
  return nameClaim('container', tenant_id, name);
}

function containerExists(): ApiError {
  return new ApiError('container_exists', 'a container of this tenant already has this name');
}
