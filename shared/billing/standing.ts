import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';

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
