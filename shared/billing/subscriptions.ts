import type Stripe from 'stripe';
import { z } from 'zod';
import type { Instant } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import type { BillingConfig } from '../config.ts';
import { ApiError } from '../errors.ts';

/** Stripe's own recommendation, in seconds. */
const TOLERANCE_S = 300;

/** What Stripe holds of a tenant's subscription now. */
export interface Subscription {
  readonly id: string;
  readonly customerId: string;
  readonly tenantId: TenantId;
  readonly status: string;
}

const metadata = z.object({ tenant_id: idSchema<TenantId>() });

/** The tenants' subscriptions at Stripe. */
export class Subscriptions {
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
    const { webhookSecret } = this.#config;
    try {
      const at = Math.floor(receivedAt / 1000);
      return stripe.webhooks.constructEvent(rawBody, signature, webhookSecret, TOLERANCE_S, undefined, at);
    } catch {
      throw new ApiError('invalid_request', 'the webhook signature does not verify');
    }
  }

  /** A subscription as Stripe holds it now, or `undefined` when it is no tenant's of ours. */
  async fetch(id: string): Promise<Subscription | undefined> {
    const stripe = await this.#ready();
    const subscription = await stripe.subscriptions.retrieve(id);
    const owner = metadata.safeParse(subscription.metadata);
    if (!owner.success) return undefined;
    const { customer, status } = subscription;
    const customerId = typeof customer === 'string' ? customer : customer.id;
    return { id, customerId, tenantId: owner.data.tenant_id, status };
  }

  #ready(): Promise<Stripe> {
    this.#client ??= this.#load();
    return this.#client;
  }
}
