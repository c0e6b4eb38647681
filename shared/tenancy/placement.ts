import { type ContainerId, parseId, type TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { CONTAINERS } from './container.ts';
import { loadTenant } from './tenants.ts';

/** Returns the requested container, by default the API key's or the tenant's default. Throws `invalid_container`. */
export async function resolveContainer(
  store: Store,
  caller: Caller,
  named: string | null | undefined,
): Promise<ContainerId> {
  if (named == null) return caller.kind === 'api_key' ? caller.containerId : defaultContainer(store, caller.tenantId);
  const id = parseId<ContainerId>(named);
  if (id === undefined || (caller.kind === 'api_key' && id !== caller.containerId)) throw invalidContainer();
  const container = await store.find(CONTAINERS, id);
  if (container?.tenant_id !== caller.tenantId) throw invalidContainer();
  return id;
}

export function invalidContainer(): ApiError {
  return new ApiError('invalid_container', 'container_id is not a container that this request can use');
}

async function defaultContainer(store: Store, tenantId: TenantId): Promise<ContainerId> {
  return (await loadTenant(store, tenantId)).default_container_id;
}
