import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Active, in a trial, or past due while a failed payment is retried. */
const GOOD: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** Whether the tenant may make new ciphertext under paid keys: always, where billing is not configured. */
export async function isInGoodStanding(env: Env, tenantId: TenantId): Promise<boolean> {
  if (env.config.billing === undefined) return true;
  const tenant = await env.store.find(TENANTS, tenantId);
  return tenant?.billing != null && GOOD.has(tenant.billing.status);
}

/**
 * Takes over a subscription's state as the payment provider holds it now, whatever the event that mentioned it says: so
 * events that come twice or out of order do no harm. The state is fetched inside the transaction, so that of two at
 * once the later fetch is the one that stays.
 */
export async function applySubscription(env: Env, subscriptions: Subscriptions, id: string): Promise<void> {
  const mentioned = await subscriptions.fetch(id);
  if (mentioned === undefined) return;
  await env.store.transact(async (tx) => {
    const tenant = await tx.find(TENANTS, mentioned.tenantId);
    const subscription = await subscriptions.fetch(id);
    if (tenant === undefined || subscription === undefined) return;
    const { customerId, status } = subscription;
    tx.replace(TENANTS, mentioned.tenantId, {
      ...tenant,
      billing: { customer_id: customerId, subscription_id: id, status },
    });
  });
}
