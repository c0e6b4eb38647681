import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { changeTenant, loadTenant } from '../tenancy/tenants.ts';
import type { Payments } from './payments.ts';

/** The tenant's customer at the payment provider, made at the first need, once. It never becomes another one. */
export async function ensureCustomer(env: Env, payments: Payments, tenantId: TenantId): Promise<string> {
  const known = (await loadTenant(env.store, tenantId)).billing;
  if (known !== null) return known.customer_id;
  const made = await payments.makeCustomer(tenantId);
  const { billing } = await changeTenant(env.store, tenantId, (tenant) =>
    tenant.billing === null ? { ...tenant, billing: { customer_id: made, subscription: null } } : tenant,
  );
  return billing?.customer_id ?? made;
}
