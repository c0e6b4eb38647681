import Stripe from 'stripe';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { stripeSecrets } from '../../emulators/stack/service-environment.ts';
import type { Asked } from './http-client.ts';
import type { Addresses } from './tenant.ts';

/** Deliveries of the payment provider about a tenant's subscription, signed as it signs. */
export async function makeSubscriptionEvents(stack: Addresses, tenantId: string): Promise<{ next(): Asked }> {
  const { stripe: port } = portsFrom(Number(new URL(stack.baseUrl).port));
  const address = { host: '127.0.0.1', port, protocol: 'http', telemetry: false } as const;
  const stripe = new Stripe(stripeSecrets.secretKey, address);
  const events = await stripe.events.list({ type: 'customer.subscription.created', limit: 100 });
  const about = events.data.find((event) => JSON.stringify(event.data.object).includes(tenantId));
  const raw = JSON.stringify(about);
  return {
    next() {
      const signature = stripe.webhooks.generateTestHeaderString({
        payload: raw,
        secret: stripeSecrets.webhookSecret,
      });
      return { method: 'POST', path: WEBHOOK_PATH, raw, headers: { 'stripe-signature': signature } };
    },
  };
}

/** Where they are delivered. */
export const WEBHOOK_PATH = '/v1/webhooks/stripe';
