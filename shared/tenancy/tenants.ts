import type { TenantId } from '../base/ids.ts';
import type { Reader, Store } from '../store/store.ts';
import { TENANTS, type Tenant } from './tenant.ts';

/** The tenant that a caller belongs to. Throws an `Error` when it is missing, which no credential's tenant is. */
export async function loadTenant(from: Reader, id: TenantId): Promise<Tenant> {
  const tenant = await from.find(TENANTS, id);
  if (tenant === undefined) throw missing(id);
  return tenant;
}

/**
 * Makes the tenant what `change` makes of it as it is now, which may be the same; returns that. It holds no locks, so whoever is cut
 * off here keeps nobody waiting. Throws an `Error` when the tenant is missing.
 */
export function changeTenant(store: Store, id: TenantId, change: (tenant: Tenant) => Tenant): Promise<Tenant> {
  return store.whileUnchanged(async () => {
    const found = await store.findStamped(TENANTS, id);
    if (found === undefined) throw missing(id);
    const changed = change(found.doc);
    if (changed !== found.doc) {
      await store.write((writes) => writes.replaceUnchanged(TENANTS, id, changed, found.stamp));
    }
    return changed;
  });
}

function missing(id: TenantId): Error {
  return new Error(`tenant ${id} has no document`);
}
