import type Stripe from 'stripe';
import type { Instant } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import type { TenantId } from '../base/ids.ts';
import { type BillingConfig, DEADLINES_MS } from '../config.ts';
import type { Env } from '../env.ts';
import { ApiError, notFound } from '../errors.ts';
import { badSignature, TOLERANCE_S } from './webhook-signature.ts';

/** The statuses in which a subscription has ended for good. */
const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** Whether a subscription in that status is open: not ended, whether it is paid or not. */
export function isOpenStatus(status: string): boolean {
  return !ENDED.has(status);
}

/**
 * The payment provider, as far as the service uses it. Every call throws `unavailable` when the provider does not
 * answer; an error that it answers is the service's fault and becomes `internal_error`.
 */
export class Payments {
  readonly #config: BillingConfig;
  readonly #load: () => Promise<Stripe>;
  #client: Promise<Stripe> | undefined;

  /** `load` makes the client; it is called once, at the first use, because the client is slow to load. */
  constructor(config: BillingConfig, load: () => Promise<Stripe>) {
    this.#config = config;
    this.#load = load;
  }

  /** The event that a webhook delivers, its signature over the raw body checked. Throws `invalid_request`. */
  async readEvent(rawBody: Buffer, signature: string, receivedAt: Instant): Promise<Stripe.Event> {
    const stripe = await this.#ready();
    try {
      const at = Math.floor(receivedAt / 1000);
      const { webhookSecret } = this.#config;
      return stripe.webhooks.constructEvent(rawBody, signature, webhookSecret, TOLERANCE_S, undefined, at);
    } catch {
      throw badSignature();
    }
  }

  /** The customer that stands for a tenant: made once, however often it is asked for at a time. */
  async makeCustomer(tenantId: TenantId): Promise<string> {
    const params = { metadata: { tenant_id: tenantId } };
    const customer = await this.call((stripe) =>
      stripe.customers.create(params, { idempotencyKey: `customer:${tenantId}` }),
    );
    return customer.id;
  }

  /** Whether the provider holds that the customer stands for the tenant, as {@link makeCustomer} has it hold. */
  async standsFor(customer: string, tenantId: TenantId): Promise<boolean> {
    try {
      const found = await this.call((stripe) => stripe.customers.retrieve(customer));
      return !found.deleted && found.metadata.tenant_id === tenantId;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /**
   * The subscription of a customer that counts: an open one before one that has ended, then the newest. What is subscribed
   * to at another price is not this service.
   */
  async findSubscription(customer: string): Promise<{ id: string; status: string } | undefined> {
    const wanted = { customer, price: this.#config.priceId, status: 'all', limit: 100 } as const;
    const { data } = await this.call((stripe) => stripe.subscriptions.list(wanted));
    const [first] = data.toSorted(
      (a, b) => Number(isOpenStatus(b.status)) - Number(isOpenStatus(a.status)) || b.created - a.created,
    );
    return first && { id: first.id, status: first.status };
  }

  /** Where the tenant's owner subscribes: a page of the provider's. Its subscription begins each period on the 1st, UTC. */
  async openCheckout(tenantId: TenantId, customer: string): Promise<string> {
    const { priceId, returnUrl } = this.#config;
    const session = await this.call((stripe) =>
      stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        client_reference_id: tenantId,
        line_items: [{ price: priceId, quantity: 1 }],
        subscription_data: {
          metadata: { tenant_id: tenantId },
          billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
          proration_behavior: 'none',
        },
        success_url: `${returnUrl}?checkout=done`,
        cancel_url: `${returnUrl}?checkout=left`,
      }),
    );
    if (session.url === null) throw new Error('a checkout session has no address');
    return session.url;
  }

  /** Where the tenant's owner changes or ends the subscription: a page of the provider's. */
  async openPortal(customer: string): Promise<string> {
    const { returnUrl } = this.#config;
    const session = await this.call((stripe) =>
      stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }),
    );
    return session.url;
  }

  /** One call of the provider's API within its deadline. */
  async call<T>(send: (stripe: Stripe) => Promise<T>): Promise<T> {
    const stripe = await this.#ready();
    try {
      return await withDeadline('stripe', DEADLINES_MS.stripe, send(stripe));
    } catch (error) {
      const answered = error instanceof Error && 'statusCode' in error && error.statusCode !== undefined;
      if (answered) throw error;
      throw new ApiError('unavailable', 'no answer from the payment provider', { cause: error });
    }
  }

  #ready(): Promise<Stripe> {
    this.#client ??= this.#load();
    return this.#client;
  }
}

/** Whether the provider answered that it holds no such thing. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'resource_missing';
}

/** The deployment's payment provider. Throws `not_found` where billing is not configured, and its routes are no routes. */
export function paymentsOf(env: Env): Payments {
  if (env.payments === undefined) throw notFound();
  return env.payments;
}
