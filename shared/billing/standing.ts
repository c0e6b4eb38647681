import type { Standing } from '../metering/standing.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';

/** The subscription statuses in good standing. In `past_due`, Stripe is still retrying a failed payment. */
const GOOD_STATUSES: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** The billing standing according to the stored subscription, not to Stripe. */
export const STORED_STANDING: Standing = {
  async isGood(reads, tenantId) {
    const tenant = await reads.find(TENANTS, tenantId);
    return tenant !== undefined && hasGoodSubscription(tenant);
  },
};

export function hasGoodSubscription({ billing }: Tenant): boolean {
  return billing?.subscription != null && GOOD_STATUSES.has(billing.subscription.status);
}
