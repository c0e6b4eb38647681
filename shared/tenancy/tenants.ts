import type { TenantId } from '../base/ids.ts';
import type { Reader, Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Changed } from './changed.ts';
import { changedFields } from './changes.ts';
import type { RecordChange } from './record-change.ts';
import { TENANTS, type Tenant } from './tenant.ts';

/** Returns a tenant. Throws an `Error` when it does not exist. */
export async function loadTenant(from: Reader, id: TenantId): Promise<Tenant> {
  const tenant = await from.find(TENANTS, id);
  if (tenant === undefined) throw missing(id);
  return tenant;
}

/** Changes a tenant and applies `also` in the same commit. Retries on conflict. Throws if the tenant is missing. */
export function changeTenant(
  store: Store,
  id: TenantId,
  change: (tenant: Tenant) => Tenant,
  also?: (writes: Writes, changed: Changed<Tenant>) => void,
): Promise<Tenant> {
  return store.retryOnConflict(async () => {
    const found = await store.findWithUpdateTime(TENANTS, id);
    if (found === undefined) throw missing(id);
    const changed = change(found.doc);
    if (changed !== found.doc) {
      await store.write((writes) => {
        writes.replaceUnchanged(TENANTS, id, changed, found.updateTime);
        also?.(writes, { before: found.doc, after: changed });
      });
    }
    return changed;
  });
}

export function renameTenant(store: Store, id: TenantId, name: string | null, record: RecordChange): Promise<Tenant> {
  return changeTenant(
    store,
    id,
    (tenant) => (tenant.name === name ? tenant : { ...tenant, name }),
    (writes, changed) => record(writes, id, changedFields(changed, ['name'])),
  );
}

function missing(id: TenantId): Error {
  return new Error(`tenant ${id} has no document`);
}
