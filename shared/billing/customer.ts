import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import { changeTenant, loadTenant } from '../tenancy/tenants.ts';
import type { Payments } from './payments.ts';

/** Returns the tenant's Stripe customer. Creates a customer if the tenant has none or if it was deleted at Stripe. */
export async function ensureCustomer(store: Store, payments: Payments, tenantId: TenantId): Promise<string> {
  const known = (await loadTenant(store, tenantId)).billing?.customer_id;
  if (known !== undefined && (await payments.hasCustomer(known))) return known;
  const made = await payments.makeCustomer(tenantId, known);
  const { billing } = await changeTenant(store, tenantId, (tenant) =>
    tenant.billing?.customer_id === known ? { ...tenant, billing: { customer_id: made, subscription: null } } : tenant,
  );
  return billing?.customer_id ?? made;
}
