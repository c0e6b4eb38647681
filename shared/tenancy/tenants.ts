import type { TenantId } from '../base/ids.ts';
import type { Reader } from '../store/store.ts';
import { TENANTS, type Tenant } from './tenant.ts';

/** The tenant that a caller belongs to. Throws an `Error` when it is missing, which no credential's tenant is. */
export async function loadTenant(from: Reader, id: TenantId): Promise<Tenant> {
  const tenant = await from.find(TENANTS, id);
  if (tenant === undefined) throw new Error(`tenant ${id} has no document`);
  return tenant;
}
