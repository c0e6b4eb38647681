import { z } from 'zod';
import { senderNetwork } from '../../shared/base/address.ts';
import { ConcurrencyLimit } from '../../shared/base/concurrency-limit.ts';
import { FairQueue, type Limits } from '../../shared/base/fair-queue.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import type { BillingNeeds } from '../../shared/billing/needs.ts';
import { refuseHopelessSignature } from '../../shared/billing/webhook-signature.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { ApiError } from '../../shared/errors.ts';
import { readBytes } from '../../shared/http/body.ts';
import { NATIVE } from '../../shared/http/dialect.ts';
import { type Request, singleHeader } from '../../shared/http/request.ts';
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

/** Far fewer than there are places for requests: anybody may send some. The payment provider sends again what is refused. */
const IN_FLIGHT = 128;

/**
 * Bodies of up to 1 MiB are read before anything is proved: anybody's, of whom an address is all that is known. What
 * comes from one waits for the rest from there, so that however slowly that comes, another's is read.
 */
const BODIES: Limits = { running: 32, runningPerOwner: 8, waitingPerOwner: 32, waitMs: DEADLINES_MS.body };

/** The webhooks that a process has in flight. */
export class Webhooks {
  /** By it events are signed. */
  readonly secret: string;
  readonly inFlight = new ConcurrencyLimit(IN_FLIGHT);
  /** Has bodies be read by the network that they come from. */
  readonly bodies = new FairQueue(BODIES);

  constructor(secret: string) {
    this.secret = secret;
  }
}

/** What it takes to follow events of the payment provider. */
export type WebhookNeeds = BillingNeeds & { readonly webhooks: Webhooks };

export const stripeWebhookRoute: Route<WebhookNeeds> = {
  description: {
    id: 'stripe_webhook',
    method: 'POST',
    path: '/v1/webhooks/stripe',
    summary: 'Events of the payment provider, signed by it; not for clients',
    operation: undefined,
    dialect: NATIVE,
    credential: 'signature',
    body: undefined,
    query: undefined,
    paged: false,
    plainText: false,
    statuses: [200],
    answer: z.object({}).meta({ id: 'Received' }),
    refuses: ['invalid_request', 'payload_too_large', 'internal_error', 'unavailable'],
  },
  async respond(needs, request) {
    using _place = needs.webhooks.inFlight.take(tooMany);
    await receive(needs, request);
    return { status: 200, body: {} };
  },
};

async function receive(needs: WebhookNeeds, { message, clientAddress }: Request): Promise<void> {
  const { clock, payments, webhooks, subscriptions } = needs;
  const signature = singleHeader(message, 'stripe-signature') ?? '';
  refuseHopelessSignature(signature, clock.now());
  const read = async () =>
    payments.readEvent(await readBytes(message, EVENT_BYTES), signature, webhooks.secret, clock.now());
  const sender = senderNetwork(clientAddress ?? '');
  const event = subscriptionEvent.safeParse(await webhooks.bodies.run(sender, read, tooMany));
  if (!event.success) return;
  const { customer, metadata } = event.data.data.object;
  await subscriptions.apply(metadata.tenant_id, customer);
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many webhooks in flight');
}
