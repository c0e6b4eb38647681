import type { TenantId } from '../base/ids.ts';
import type { Standing } from '../metering/standing.ts';
import type { Store } from '../store/store.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';

/** The subscription statuses in good standing. In `past_due`, Stripe is still retrying a failed payment. */
const GOOD_STATUSES: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** Reads the billing standing from the stored subscription, not from Stripe. */
export class StoredStanding implements Standing {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async isGood(tenantId: TenantId): Promise<boolean> {
    const tenant = await this.#store.find(TENANTS, tenantId);
    return tenant !== undefined && hasGoodSubscription(tenant);
  }
}

export function hasGoodSubscription({ billing }: Tenant): boolean {
  return billing?.subscription != null && GOOD_STATUSES.has(billing.subscription.status);
}
