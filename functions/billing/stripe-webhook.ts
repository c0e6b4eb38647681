import { z } from 'zod';
import { senderNetwork } from '../../shared/base/address.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import { paymentsOf } from '../../shared/billing/payments.ts';
import { refuseHopelessSignature } from '../../shared/billing/webhook-signature.ts';
import type { Env } from '../../shared/env.ts';
import { ApiError } from '../../shared/errors.ts';
import { readBytes } from '../../shared/http/body.ts';
import { clientAddress, type Request, singleHeader } from '../../shared/http/request.ts';
import type { Route } from '../../shared/http/route.ts';

/** Events carry whole objects; they come to a route of their own and may be larger than a client's body. */
const EVENT_BYTES = 1_048_576;

/** The part of a subscription event that is read: whose subscription it is. Its state is asked for anew. */
const subscriptionEvent = z.object({
  type: z.string().startsWith('customer.subscription.'),
  data: z.object({
    object: z.object({ customer: z.string(), metadata: z.object({ tenant_id: idSchema<TenantId>() }) }),
  }),
});

export const stripeWebhookRoute: Route = {
  description: {
    id: 'stripe_webhook',
    method: 'POST',
    path: '/v1/webhooks/stripe',
    summary: 'Events of the payment provider, signed by it; not for clients',
    credential: 'signature',
    action: undefined,
    operation: undefined,
    body: undefined,
    query: undefined,
    statuses: [200],
    answer: z.object({}).meta({ id: 'Received' }),
    refuses: ['invalid_request', 'payload_too_large', 'internal_error', 'unavailable'],
  },
  async respond(env: Env, request: Request) {
    await env.webhooks.enter(() => receive(env, request), tooMany);
    return { status: 200, body: {} };
  },
};

async function receive(env: Env, { message }: Request): Promise<void> {
  const payments = paymentsOf(env);
  const signature = singleHeader(message, 'stripe-signature') ?? '';
  refuseHopelessSignature(signature, env.clock.now());
  const sender = senderNetwork(clientAddress(message, env.config) ?? '');
  const read = async () => payments.readEvent(await readBytes(message, EVENT_BYTES), signature, env.clock.now());
  const event = subscriptionEvent.safeParse(await env.webhookBodies.run(sender, read, tooMany));
  if (!event.success) return;
  const { customer, metadata } = event.data.data.object;
  await env.standings?.apply(metadata.tenant_id, customer);
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many webhooks in flight');
}
