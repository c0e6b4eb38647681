import { z } from 'zod';
import { applySubscription } from '../../shared/billing/standing.ts';
import type { Env } from '../../shared/env.ts';
import { notFound } from '../../shared/errors.ts';
import { readBytes } from '../../shared/http/body.ts';
import { type Request, singleHeader } from '../../shared/http/request.ts';
import type { Route } from '../../shared/http/route.ts';

/** Stripe's events carry whole objects; they come to a route of their own and may be larger than a client's body. */
const EVENT_BYTES = 1_048_576;

export const stripeWebhookRoute: Route = {
  description: {
    method: 'POST',
    path: '/v1/webhooks/stripe',
    summary: 'Events of the payment provider, signed by it; not for clients',
    credential: 'none',
    action: undefined,
    operation: undefined,
    body: undefined,
    query: undefined,
    statuses: [200],
    answer: z.object({}).meta({ id: 'Received' }),
  },
  async respond(env: Env, request: Request) {
    if (env.subscriptions === undefined) throw notFound();
    const rawBody = await readBytes(request.message, EVENT_BYTES);
    const signature = singleHeader(request.message, 'stripe-signature') ?? '';
    const event = await env.subscriptions.readEvent(rawBody, signature, env.clock.now());
    if (event.type.startsWith('customer.subscription.') && 'id' in event.data.object) {
      await applySubscription(env, env.subscriptions, String(event.data.object.id));
    }
    return { status: 200, body: {} };
  },
};
