import type { Caller } from '../auth/caller.ts';
import { type ContainerId, parseId, type TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { CONTAINERS } from './container.ts';
import { loadTenant } from './tenants.ts';

/**
 * The container that a new thing goes into: the one named, which must be the tenant's and for an API key its own;
 * without a name the API key's own, or the tenant's default. Throws `invalid_container`.
 */
export async function placeIn(env: Env, caller: Caller, named: string | null | undefined): Promise<ContainerId> {
  if (named == null) return caller.kind === 'api_key' ? caller.containerId : defaultContainer(env, caller.tenantId);
  const id = parseId<ContainerId>(named);
  if (id === undefined || (caller.kind === 'api_key' && id !== caller.containerId)) throw invalidContainer();
  const container = await env.store.find(CONTAINERS, id);
  if (container?.tenant_id !== caller.tenantId) throw invalidContainer();
  return id;
}

/** `400 invalid_container` */
export function invalidContainer(): ApiError {
  return new ApiError('invalid_container', 'container_id names no container that this request may use');
}

async function defaultContainer(env: Env, tenantId: TenantId): Promise<ContainerId> {
  return (await loadTenant(env.store, tenantId)).default_container_id;
}
