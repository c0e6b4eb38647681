import type { TenantId } from '../base/ids.ts';
import { Together, type Width } from '../base/together.ts';
import { DEADLINES_MS } from '../config.ts';
import type { Store } from '../store/store.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import type { Payments } from './payments.ts';

/** One at a time: events of one tenant often come in a burst, and would contend for its document. */
const WIDTH: Width = { inFlight: 1, asksPerCall: 50, waitMs: DEADLINES_MS.stripe };

interface Mentioned {
  readonly tenantId: TenantId;
  readonly customerId: string;
}

/**
 * Takes over the state of tenants' subscriptions as the payment provider holds it, whatever the events that spoke of it
 * say: so events that come twice or out of order do no harm. Events that wait together are one question a tenant.
 */
export class Standings {
  readonly #store: Store;
  readonly #payments: Payments;
  readonly #asks: Together<Mentioned, PromiseSettledResult<void>>;

  constructor(store: Store, payments: Payments) {
    this.#store = store;
    this.#payments = payments;
    this.#asks = new Together((mentioned) => this.#applyAll(mentioned), WIDTH);
  }

  /** Resolves once the tenant's standing is that of a moment after this call. */
  async apply(tenantId: TenantId, customerId: string): Promise<void> {
    const outcome = await this.#asks.ask({ tenantId, customerId });
    if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #applyAll(mentioned: readonly Mentioned[]): Promise<PromiseSettledResult<void>[]> {
    const byTenant = new Map(mentioned.map((one) => [one.tenantId, one]));
    const outcomes = await Promise.allSettled([...byTenant.values()].map((one) => this.#applyNow(one)));
    const ofTenant = new Map([...byTenant.keys()].map((tenantId, index) => [tenantId, outcomes[index]]));
    return mentioned.flatMap(({ tenantId }) => ofTenant.get(tenantId) ?? []);
  }

  /**
   * It is fetched after the tenant was read and stored while the tenant is still as read, so that of two processes at
   * once the later fetch is the one that stays, and nobody waits for locks while the provider is slow.
   */
  #applyNow({ tenantId, customerId }: Mentioned): Promise<void> {
    return this.#store.whileUnchanged(async () => {
      const found = await this.#store.findStamped(TENANTS, tenantId);
      if (found === undefined) return;
      const subscription = (await this.#payments.findSubscription(customerId)) ?? null;
      const changed = { ...found.doc, billing: { customer_id: customerId, subscription } };
      await this.#store.write((writes) => writes.replaceUnchanged(TENANTS, tenantId, changed, found.stamp));
    });
  }
}
