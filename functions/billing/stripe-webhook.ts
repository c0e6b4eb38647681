import { z } from 'zod';
import { senderNetwork } from '../../shared/base/address.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import { refuseBadSignatureHeader } from '../../shared/billing/webhook-signature.ts';
import { notFound } from '../../shared/errors.ts';
import { readBytes } from '../../shared/http/body.ts';
import { type Request, singleHeader } from '../../shared/http/request.ts';
import { DESCRIPTION_DEFAULTS, type Route } from '../../shared/http/route.ts';
import type { Parts } from '../needs.ts';

/** The largest body of an event, in bytes. An event contains a whole object, so it can exceed a client's request. */
const EVENT_BYTES = 1_048_576;

/** The fields that identify the owner. The subscription's state is read from Stripe, not from the event. */
const subscriptionEvent = z.object({
  type: z.string().startsWith('customer.subscription.'),
  data: z.object({
    object: z.object({ customer: z.string(), metadata: z.object({ tenant_id: idSchema<TenantId>() }) }),
  }),
});

type WebhookParts = Pick<Parts, 'clock' | 'payments' | 'webhooks' | 'subscriptions'>;

/** Answers 200 to every event with a valid signature, but ignores events that are not about a subscription. */
export const stripeWebhookRoute: Route<WebhookParts> = {
  description: {
    ...DESCRIPTION_DEFAULTS,
    id: 'stripe_webhook',
    method: 'POST',
    path: '/v1/webhooks/stripe',
    summary: 'Receive an event from Stripe (not for clients)',
    description: 'Receives signed events about subscriptions from Stripe. Clients do not call this route.',
    tag: 'Billing',
    credential: 'signature',
    statuses: [200],
    answer: z.object({}).meta({ id: 'Received' }),
    refuses: ['invalid_request', 'payload_too_large', 'internal_error', 'unavailable'],
  },
  needs: ['clock', 'payments', 'webhooks', 'subscriptions'],
  async respond(parts, request) {
    using _turn = await parts.webhooks.inFlight.take('');
    await receive(parts, request);
    return { status: 200, body: {} };
  },
};

async function receive(
  { clock, payments, webhooks, subscriptions }: WebhookParts,
  { message, clientAddress }: Request,
): Promise<void> {
  const { secret } = webhooks;
  if (secret === undefined) throw notFound();
  const signature = singleHeader(message, 'stripe-signature') ?? '';
  refuseBadSignatureHeader(signature, clock.now());
  const read = async () => payments.readEvent(await readBytes(message, EVENT_BYTES), signature, secret, clock.now());
  const sender = senderNetwork(clientAddress ?? '');
  const event = subscriptionEvent.safeParse(await webhooks.bodies.run(sender, read));
  if (!event.success) return;
  const { customer, metadata } = event.data.data.object;
  await subscriptions.apply(metadata.tenant_id, customer);
}
