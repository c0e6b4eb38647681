import { z } from 'zod';
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

type SubscriptionEvent = z.output<typeof subscriptionEvent>;

export const stripeWebhookRoute: Route = {
  description: {
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
  },
  async respond(env: Env, request: Request) {
    const event = await readEvent(env, request);
    if (event !== undefined) await env.webhooks.enter(() => apply(env, event), tooMany);
    return { status: 200, body: {} };
  },
};

/** The event that a webhook delivers, if it is one that counts. The head's part of its signature is looked at before the body is read. */
async function readEvent(env: Env, { message }: Request): Promise<SubscriptionEvent | undefined> {
  const payments = paymentsOf(env);
  const signature = singleHeader(message, 'stripe-signature') ?? '';
  refuseHopelessSignature(signature, env.clock.now());
  const address = clientAddress(message, env.config) ?? 'unknown';
  const read = async () => payments.readEvent(await readBytes(message, EVENT_BYTES), signature, env.clock.now());
  return subscriptionEvent.safeParse(await env.webhookBodies.run(address, read, tooMany)).data;
}

/** Has the subscription's state asked for anew. */
async function apply(env: Env, event: SubscriptionEvent): Promise<void> {
  const { customer, metadata } = event.data.object;
  await env.standings?.apply(metadata.tenant_id, customer);
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many webhooks in flight');
}
