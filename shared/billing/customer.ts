import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import { loadTenant } from '../tenancy/tenants.ts';
import type { Payments } from './payments.ts';

/** The tenant's customer at the payment provider, made at the first need, once. */
export async function ensureCustomer(env: Env, payments: Payments, tenantId: TenantId): Promise<string> {
  const known = (await loadTenant(env.store, tenantId)).billing;
  if (known !== null) return known.customer_id;
  const made = await payments.makeCustomer(tenantId);
  return env.store.transact(async (tx) => {
    const tenant = await loadTenant(tx, tenantId);
    const billing = tenant.billing ?? { customer_id: made, subscription: null };
    tx.replace(TENANTS, tenantId, { ...tenant, billing });
    return billing.customer_id;
  });
}
