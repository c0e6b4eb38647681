import { FairQueue } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { DEADLINES_MS } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { UpdateTime } from '../store/writes.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';
import type { Payments } from './payments.ts';

/** Of one tenant one at a time: they would contend for its document. What waits for one tenant keeps no other waiting. */
const TURNS = { running: 16, runningPerOwner: 1, waitingPerOwner: 8, waitMs: DEADLINES_MS.stripe };

interface FoundTenant {
  readonly doc: Tenant;
  readonly updateTime: UpdateTime;
}

/**
 * Takes over the state of tenants' subscriptions as the payment provider holds it, whatever the events that spoke of it
 * say: so events that come twice or out of order do no harm. Events that wait together are one question.
 */
export class Standings {
  readonly #store: Store;
  readonly #payments: Payments;
  readonly #log: Log;
  readonly #turns = new FairQueue(TURNS);
  /** What has not begun yet, by tenant and customer: whoever comes meanwhile shares it. */
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(store: Store, payments: Payments, log: Log) {
    this.#store = store;
    this.#payments = payments;
    this.#log = log;
  }

  /**
   * Resolves once the tenant's standing is that of a moment after this call. An event that names a customer who is not the
   * tenant's changes nothing. Throws `unavailable` where too many events wait, or the provider does not answer.
   */
  apply(tenantId: TenantId, customerId: string): Promise<void> {
    const name = `${tenantId} ${customerId}`;
    const shared = this.#waiting.get(name);
    if (shared !== undefined) return shared;
    const own = this.#inTurn(name, tenantId, customerId);
    this.#waiting.set(name, own);
    return own;
  }

  /** Takes over the state of the tenant's subscription that no event may have told of. Nothing is asked for a tenant without a customer. */
  refresh(tenantId: TenantId): Promise<void> {
    return this.#retryOnConflict(tenantId, async (tenant) => {
      if (tenant.doc.billing !== null) await this.#takeOver(tenant, tenant.doc.billing.customer_id);
    });
  }

  async #inTurn(name: string, tenantId: TenantId, customerId: string): Promise<void> {
    // A turn that comes at once must not begin before it is known to wait.
    await Promise.resolve();
    const begin = () => {
      this.#waiting.delete(name);
      return this.#applyNow(tenantId, customerId);
    };
    const refuse = () => {
      this.#waiting.delete(name);
      return new ApiError('unavailable', 'too many events of the payment provider wait');
    };
    return this.#turns.run(tenantId, begin, refuse);
  }

  #applyNow(tenantId: TenantId, customerId: string): Promise<void> {
    return this.#retryOnConflict(tenantId, async (tenant) => {
      if (await this.#isCustomer(tenant.doc, customerId)) return this.#takeOver(tenant, customerId);
      const fields = { tenant_id: tenantId, customer_id: customerId };
      this.#log.write('WARNING', "an event names a customer who is not the tenant's", fields);
    });
  }

  /** The customer who is set stays. The first one is taken over only if the provider itself holds that it is the tenant's. */
  async #isCustomer({ id, billing }: Tenant, customerId: string): Promise<boolean> {
    return billing === null ? this.#payments.standsFor(customerId, id) : billing.customer_id === customerId;
  }

  /**
   * The subscription is fetched after the tenant was read and stored while the tenant is still as read, changed or not, so that of
   * two processes at once the later fetch is the one that stays, and nobody waits for locks while the provider is slow.
   */
  async #takeOver({ doc, updateTime }: FoundTenant, customerId: string): Promise<void> {
    const subscription = (await this.#payments.findSubscription(customerId)) ?? null;
    const changed = { ...doc, billing: { customer_id: customerId, subscription } };
    await this.#store.write((writes) => writes.replaceUnchanged(TENANTS, doc.id, changed, updateTime));
  }

  #retryOnConflict(tenantId: TenantId, work: (tenant: FoundTenant) => Promise<void>): Promise<void> {
    return this.#store.retryOnConflict(async () => {
      const found = await this.#store.findWithUpdateTime(TENANTS, tenantId);
      if (found !== undefined) await work(found);
    });
  }
}
