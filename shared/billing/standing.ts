import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';
import type { Payments } from './payments.ts';

/** Active, in a trial, or past due while a failed payment is retried. */
const GOOD: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** Whether the tenant may make new ciphertext under paid keys, and paid keys: always, where billing is not configured. */
export async function isInGoodStanding(env: Env, tenantId: TenantId): Promise<boolean> {
  if (env.config.billing === undefined) return true;
  const tenant = await env.store.find(TENANTS, tenantId);
  return tenant !== undefined && hasGoodSubscription(tenant);
}

/** Whether the tenant's subscription keeps its billing in good standing. */
export function hasGoodSubscription({ billing }: Tenant): boolean {
  return billing?.subscription != null && GOOD.has(billing.subscription.status);
}

/**
 * Takes over the state of a tenant's subscription as the payment provider holds it now, whatever the event that spoke of
 * it says: so events that come twice or out of order do no harm. It is fetched inside the transaction, so that of two at
 * once the later fetch is the one that stays.
 */
export async function applySubscription(
  env: Env,
  payments: Payments,
  tenantId: TenantId,
  customerId: string,
): Promise<void> {
  await env.store.transact(async (tx) => {
    const tenant = await tx.find(TENANTS, tenantId);
    if (tenant === undefined) return;
    const subscription = (await payments.findSubscription(customerId)) ?? null;
    tx.replace(TENANTS, tenantId, { ...tenant, billing: { customer_id: customerId, subscription } });
  });
}
