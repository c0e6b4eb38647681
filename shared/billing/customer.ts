import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import { loadTenant } from '../tenancy/tenants.ts';
import type { Payments } from './payments.ts';

/** The tenant's customer at the payment provider, made at the first need, once. It never becomes another one. */
export async function ensureCustomer(env: Env, payments: Payments, tenantId: TenantId): Promise<string> {
  const known = (await loadTenant(env.store, tenantId)).billing;
  if (known !== null) return known.customer_id;
  const made = await payments.makeCustomer(tenantId);
  return env.store.transact(async (tx) => {
    const tenant = await loadTenant(tx, tenantId);
    if (tenant.billing !== null) return tenant.billing.customer_id;
    tx.replace(TENANTS, tenantId, { ...tenant, billing: { customer_id: made, subscription: null } });
    return made;
  });
}
