import Stripe from 'stripe';
import { portsOf } from '../../emulators/stack/ports.ts';
import { STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import type { HttpRequest } from '../http-client.ts';
import type { Addresses } from '../tenant.ts';

/** Webhook requests that deliver one event, which is about a tenant's subscription. */
interface SubscriptionEvents {
  /** Returns the next request to deliver the event, with a new signature. */
  next(): HttpRequest;
}

/** Finds an event about the tenant's subscription in the Stripe emulator. */
export async function makeSubscriptionEvents(stack: Addresses, tenantId: string): Promise<SubscriptionEvents> {
  const { stripe: port } = portsOf(stack);
  const address = { host: '127.0.0.1', port, protocol: 'http', telemetry: false } as const;
  const stripe = new Stripe(STRIPE_SECRETS.secretKey, address);
  const events = await stripe.events.list({ type: 'customer.subscription.created', limit: 100 });
  const about = events.data.find((event) => JSON.stringify(event.data.object).includes(tenantId));
  const raw = JSON.stringify(about);
  return {
    next() {
      const signature = stripe.webhooks.generateTestHeaderString({
        payload: raw,
        secret: STRIPE_SECRETS.webhookSecret,
      });
      return { method: 'POST', path: WEBHOOK_PATH, raw, headers: { 'stripe-signature': signature } };
    },
  };
}

export const WEBHOOK_PATH = '/v1/webhooks/stripe';
