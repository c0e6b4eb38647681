import type Stripe from 'stripe';
import type { Instant } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { makeOnce } from '../base/make-once.ts';
import type { BillingConfig } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import { badSignature, TOLERANCE_S } from './webhook-signature.ts';

const ENDED_STATUSES: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** Whether a subscription with this status at Stripe is open, so that the tenant cannot start another. */
export function isOpenStatus(status: string): boolean {
  return !ENDED_STATUSES.has(status);
}

/** Stripe allows 25 calls a second of a kind, of all tenants together, so a tenant opens one page at a time. */
export const PAYMENT_PAGES: Turns = {
  what: 'checkout and portal pages being opened',
  owner: 'tenant',
  running: 4,
  runningPerOwner: 1,
  bound: {
    waitingPerOwner: 16,
    waitMs: DEADLINES_MS.stripe,
    refuse: () => new ApiError('unavailable', 'too many payment pages are being opened'),
  },
};

/** Calls Stripe. Throws `unavailable` if Stripe does not answer. If Stripe refuses, callers get `internal_error`. */
export class Payments {
  readonly #billing: BillingConfig | undefined;
  readonly #stripe: () => Promise<Stripe>;
  /** Turns to open a page. Throw `unavailable` if too many wait. */
  readonly pages = new FairQueue(PAYMENT_PAGES);

  /** Calls `load` once, at first use, because loading is slow. */
  constructor(billing: BillingConfig | undefined, load: () => Promise<Stripe>) {
    this.#billing = billing;
    this.#stripe = makeOnce(load);
  }

  #config(): BillingConfig {
    if (this.#billing === undefined) throw new Error('billing is not configured');
    return this.#billing;
  }

  /** Returns the event in a webhook's body. Throws `invalid_request` if the signature over the raw body is wrong. */
  async readEvent(rawBody: Buffer, signature: string, secret: string, receivedAt: Instant): Promise<Stripe.Event> {
    const stripe = await this.#stripe();
    try {
      const at = Math.floor(receivedAt / 1000);
      return stripe.webhooks.constructEvent(rawBody, signature, secret, TOLERANCE_S, undefined, at);
    } catch {
      throw badSignature();
    }
  }

  /** Creates the tenant's Stripe customer, in place of `replaced` if given. Idempotent. */
  async makeCustomer(tenantId: TenantId, replaced?: string): Promise<string> {
    const params = { metadata: { tenant_id: tenantId } };
    const idempotencyKey = ['customer', tenantId, replaced ?? []].flat().join(':');
    const customer = await this.call((stripe) => stripe.customers.create(params, { idempotencyKey }));
    return customer.id;
  }

  /** Whether the customer exists at Stripe. A customer can be deleted there. */
  async hasCustomer(customer: string): Promise<boolean> {
    return (await this.#findCustomer(customer)) !== undefined;
  }

  /** Whether the customer exists at Stripe and belongs to the tenant. */
  async belongsTo(customer: string, tenantId: TenantId): Promise<boolean> {
    return (await this.#findCustomer(customer))?.metadata.tenant_id === tenantId;
  }

  async #findCustomer(customer: string): Promise<Stripe.Customer | undefined> {
    const found = await this.call((stripe) => stripe.customers.retrieve(customer)).catch(ignoreMissing);
    return found?.deleted ? undefined : found;
  }

  /** Finds the customer's subscription to this service. Prefers open subscriptions, then the newest. */
  async findSubscription(customer: string): Promise<{ id: string; status: string } | undefined> {
    const [first] = await this.#listSubscriptions(customer);
    return first && { id: first.id, status: first.status };
  }

  /**
   * Lets Stripe collect an invoice that the service created. It uses the payment method of the customer's subscription,
   * even of an ended one. Checkout stores the payment method there, so by default such an invoice has none.
   */
  async setPaymentMethod(customer: string, invoice: string): Promise<void> {
    const methods = (await this.#listSubscriptions(customer)).map(({ default_payment_method: method }) => method);
    const method = methods.find((one) => one != null);
    const default_payment_method = typeof method === 'string' ? method : method?.id;
    if (default_payment_method === undefined) return;
    // The customer may have removed the payment method since.
    await this.call((stripe) => stripe.invoices.update(invoice, { default_payment_method })).catch(ignoreMissing);
  }

  /** Lists the customer's subscriptions to this service: first open ones, then the newest. */
  async #listSubscriptions(customer: string): Promise<Stripe.Subscription[]> {
    const wanted = { customer, price: this.#config().priceId, status: 'all', limit: 100 } as const;
    const found = await this.call((stripe) => stripe.subscriptions.list(wanted)).catch(ignoreMissing);
    return (found?.data ?? []).toSorted(
      (a, b) => Number(isOpenStatus(b.status)) - Number(isOpenStatus(a.status)) || b.created - a.created,
    );
  }

  /**
   * Opens a checkout page, and expires all but the newest of the tenant's open pages, so that two cannot both be paid.
   * Returns the URL of the newest page, which a concurrent call may have opened. The subscription's periods begin on
   * the 1st, UTC.
   */
  async openCheckout(tenantId: TenantId, customer: string): Promise<{ readonly id: string; readonly url: string }> {
    const { priceId, returnUrl } = this.#config();
    const own = await this.call((stripe) =>
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
    const { data } = await this.call((stripe) =>
      stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 }),
    );
    const open = [own, ...data.filter(({ id, client_reference_id: by }) => id !== own.id && by === tenantId)];
    const [newest = own, ...others] = open.toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
    for (const { id } of others) await this.expireCheckout(id);
    if (newest.url === null) throw new Error('the checkout session has no URL');
    return { id: own.id, url: newest.url };
  }

  /** Makes an open checkout page unusable. Does nothing if the page is no longer open, for example because it is paid. */
  async expireCheckout(session: string): Promise<void> {
    try {
      await this.call((stripe) => stripe.checkout.sessions.expire(session));
    } catch (error) {
      const { status } = await this.call((stripe) => stripe.checkout.sessions.retrieve(session));
      if (status === 'open') throw error;
    }
  }

  /** Returns the URL of a portal page, or `undefined` if the customer was deleted. */
  async openPortal(customer: string): Promise<string | undefined> {
    const { returnUrl } = this.#config();
    const session = await this.call((stripe) =>
      stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }),
    ).catch(ignoreMissing);
    return session?.url;
  }

  async call<T>(send: (stripe: Stripe) => Promise<T>): Promise<T> {
    const stripe = await this.#stripe();
    try {
      return await withDeadline('stripe', DEADLINES_MS.stripe, send(stripe));
    } catch (error) {
      const answered = error instanceof Error && 'statusCode' in error && error.statusCode !== undefined;
      if (answered) throw error;
      throw new ApiError('unavailable', 'the payment provider did not answer', { cause: error });
    }
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'resource_missing')) throw error;
}
