import { type Clock, DAY_US, type Instant, makeInstant } from '../base/clock.ts';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { UpdateTime } from '../store/commit.ts';
import type { Store } from '../store/store.ts';
import { TENANTS, type Tenant } from '../tenancy/tenant.ts';
import type { Payments } from './payments.ts';

/** Updates of the same tenant run one at a time, because concurrent updates would conflict on its document. */
export const SUBSCRIPTION_UPDATES: Turns = {
  what: 'updates of subscriptions',
  owner: 'tenant',
  running: 16,
  runningPerOwner: 1,
  bound: {
    waitingPerOwner: 8,
    waitMs: DEADLINES_MS.stripe,
    refuse: () => new ApiError('unavailable', 'too many payment provider events are waiting'),
  },
};

interface FoundTenant {
  readonly doc: Tenant;
  readonly updateTime: UpdateTime;
}

/** Returns when to compare a tenant's subscription with Stripe again, because webhooks can be lost. */
export function nextCheck(now: Instant): Instant {
  return makeInstant(now + DAY_US);
}

/** Copies subscriptions from Stripe. An event only triggers an update, so repeated events do no harm. */
export class Subscriptions {
  readonly #store: Store;
  readonly #payments: Payments;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #queue = new FairQueue(SUBSCRIPTION_UPDATES);
  /** Updates that are still waiting, by tenant and customer. Events that arrive meanwhile share the update. */
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(store: Store, payments: Payments, log: Log, clock: Clock) {
    this.#store = store;
    this.#payments = payments;
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * Stores the state that the subscription has at Stripe after this call. Ignores a customer that is not the tenant's.
   * Throws `unavailable` when too many events wait or Stripe does not answer.
   */
  apply(tenantId: TenantId, customerId: string): Promise<void> {
    const name = `${tenantId} ${customerId}`;
    const shared = this.#waiting.get(name);
    if (shared !== undefined) return shared;
    const own = this.#enqueue(name, tenantId, customerId);
    this.#waiting.set(name, own);
    return own;
  }

  /** Updates the subscription of a tenant's stored customer. Does nothing for a tenant without a customer. */
  refresh(tenantId: TenantId): Promise<void> {
    return this.#retryOnConflict(tenantId, async (tenant) => {
      if (tenant.doc.billing !== null) await this.#takeOver(tenant, tenant.doc.billing.customer_id);
    });
  }

  async #enqueue(name: string, tenantId: TenantId, customerId: string): Promise<void> {
    using _turn = await this.#queue.take(tenantId).finally(() => this.#waiting.delete(name));
    await this.#applyNow(tenantId, customerId);
  }

  #applyNow(tenantId: TenantId, customerId: string): Promise<void> {
    return this.#retryOnConflict(tenantId, async (tenant) => {
      if (await this.#isCustomer(tenant.doc, customerId)) return this.#takeOver(tenant, customerId);
      const fields = { tenant_id: tenantId, customer_id: customerId };
      this.#log.write('Stripe event ignored: customer does not match the tenant', fields);
    });
  }

  /**
   * Whether this is the tenant's customer. If none is stored, or Stripe no longer has the stored one, Stripe must
   * confirm that the tenant owns this customer.
   */
  async #isCustomer({ id, billing }: Tenant, customerId: string): Promise<boolean> {
    if (billing?.customer_id === customerId) return true;
    if (billing !== null && (await this.#payments.hasCustomer(billing.customer_id))) return false;
    return this.#payments.belongsTo(customerId, id);
  }

  /**
   * Stores the subscription from Stripe, but only if the tenant has not changed since it was read. So an older
   * subscription never replaces a newer one, and no lock is held while Stripe is slow.
   */
  async #takeOver({ doc, updateTime }: FoundTenant, customerId: string): Promise<void> {
    const subscription = (await this.#payments.findSubscription(customerId)) ?? null;
    const billing = { customer_id: customerId, subscription };
    const changed = { ...doc, billing, stripe_check_at: nextCheck(this.#clock.now()) };
    await this.#store.write((writes) => writes.replaceUnchanged(TENANTS, doc.id, changed, updateTime));
  }

  #retryOnConflict(tenantId: TenantId, work: (tenant: FoundTenant) => Promise<void>): Promise<void> {
    return this.#store.retryOnConflict(async () => {
      const found = await this.#store.findWithUpdateTime(TENANTS, tenantId);
      if (found !== undefined) await work(found);
    });
  }
}
