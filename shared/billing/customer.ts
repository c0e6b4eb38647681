import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import { changeTenant, loadTenant } from '../tenancy/tenants.ts';
import type { Payments } from './payments.ts';

/** Returns the tenant's Stripe customer, and creates the customer if needed. A tenant's customer never changes. */
export async function ensureCustomer(store: Store, payments: Payments, tenantId: TenantId): Promise<string> {
  const known = (await loadTenant(store, tenantId)).billing;
  if (known !== null) return known.customer_id;
  const made = await payments.makeCustomer(tenantId);
  const { billing } = await changeTenant(store, tenantId, (tenant) =>
    tenant.billing === null ? { ...tenant, billing: { customer_id: made, subscription: null } } : tenant,
  );
  return billing?.customer_id ?? made;
}
