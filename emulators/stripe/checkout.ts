import * as z from 'zod';
import type { Account } from './account.ts';
import { anchorParams, readAnchor } from './anchor.ts';
import { expireSession } from './checkout-completion.ts';
import { viewCheckoutLines, viewCheckoutSession } from './checkout-view.ts';
import { loadCustomer } from './customers.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { newId } from './ids.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { isWithin, pageParams, rangeParam, viewPage } from './pagination.ts';
import { count, flag, listOf, text, webUrl } from './params.ts';
import { loadPrice } from './prices.ts';
import type { CheckoutSessionRecord } from './records.ts';
import { type Route, route } from './route.ts';
import type { State } from './state.ts';

const dayInSeconds = 86_400;

// What these say changes only what Stripe's own page asks of the person who pays.
// No tax is registered for, so automatic tax comes to nothing.
const pageOptions = {
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  allow_promotion_codes: flag.optional(),
  billing_address_collection: z.enum(['auto', 'required']).optional(),
  customer_update: z.record(z.string(), z.enum(['auto', 'never'])).optional(),
  locale: text.optional(),
  payment_method_collection: z.enum(['always', 'if_required']).optional(),
  payment_method_types: listOf(z.literal('card')).optional(),
  tax_id_collection: z.strictObject({ enabled: flag }).optional(),
  ui_mode: z.literal('hosted_page').optional(),
};

const createParams = z.strictObject({
  mode: z.literal('subscription'),
  line_items: listOf(z.strictObject({ price: text, quantity: count.optional() })),
  success_url: webUrl,
  cancel_url: webUrl.optional(),
  customer: text.optional(),
  customer_email: text.optional(),
  client_reference_id: text.max(200).optional(),
  expires_at: count.optional(),
  metadata: metadataParam,
  subscription_data: z
    .strictObject({ description: text.optional(), metadata: metadataParam, ...anchorParams })
    .optional(),
  ...pageOptions,
});

/** The session of this id. Throws when there is none. */
export function loadCheckoutSession(state: State, id: string): CheckoutSessionRecord {
  const session = state.checkout_sessions.find((candidate) => candidate.id === id);
  if (session === undefined) {
    throw resourceMissing('checkout.session', id);
  }
  return session;
}

function createSession(account: Account, params: z.output<typeof createParams>) {
  const now = account.now();
  const { customer, customer_email, expires_at = now + dayInSeconds, subscription_data: data = {} } = params;
  if (customer !== undefined && customer_email !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.', {
      code: 'parameters_exclusive',
    });
  }
  if (expires_at < now + dayInSeconds / 48 || expires_at > now + dayInSeconds) {
    throw invalidRequest('expires_at must be between 30 minutes and 24 hours away.', { param: 'expires_at' });
  }
  const anchor = readAnchor(data, now);
  const subscriptionMetadata = changeMetadata({}, data.metadata);
  const metadata = changeMetadata({}, params.metadata);
  const session: CheckoutSessionRecord = {
    id: newId('cs_test'),
    created: now,
    expires_at,
    status: 'open',
    customer: customer === undefined ? null : loadCustomer(account.state, customer, 'customer').id,
    customer_email: customer_email ?? null,
    client_reference_id: params.client_reference_id ?? null,
    metadata,
    success_url: params.success_url,
    cancel_url: params.cancel_url ?? null,
    line_items: params.line_items.map(({ price, quantity = 1 }, index) => ({
      id: newId('li'),
      price: loadPrice(account, price, `line_items[${index}][price]`).id,
      quantity,
    })),
    subscription: null,
    subscription_data: { description: data.description ?? null, metadata: subscriptionMetadata, ...anchor },
  };
  account.state.checkout_sessions.push(session);
  return viewCheckoutSession(account, session);
}

function expire(account: Account, _: object, id: string) {
  const session = loadCheckoutSession(account.state, id);
  if (session.status !== 'open') {
    throw invalidRequest(`Only Checkout Sessions with a status in ["open"] can be expired; this is ${session.status}.`);
  }
  expireSession(account, session);
  return viewCheckoutSession(account, session);
}

const listParams = z.strictObject({
  ...pageParams,
  created: rangeParam,
  customer: text.optional(),
  status: z.enum(['complete', 'expired', 'open']).optional(),
  subscription: text.optional(),
});

function listSessions(account: Account, params: z.output<typeof listParams>) {
  const sessions = account.state.checkout_sessions
    .filter((session) => isWithin(session.created, params.created))
    .filter((session) => (params.customer ?? session.customer) === session.customer)
    .filter((session) => (params.status ?? session.status) === session.status)
    .filter((session) => (params.subscription ?? session.subscription) === session.subscription)
    .map((session) => viewCheckoutSession(account, session));
  return viewPage('/v1/checkout/sessions', sessions.reverse(), params);
}

export const checkoutRoutes: Route[] = [
  route('POST', '/v1/checkout/sessions', createParams, createSession),
  route('GET', '/v1/checkout/sessions', listParams, listSessions),
  route('GET', '/v1/checkout/sessions/:id', z.strictObject({}), (account, _, id) =>
    viewCheckoutSession(account, loadCheckoutSession(account.state, id)),
  ),
  route('GET', '/v1/checkout/sessions/:id/line_items', z.strictObject(pageParams), (account, _, id) =>
    viewCheckoutLines(account, loadCheckoutSession(account.state, id)),
  ),
  route('POST', '/v1/checkout/sessions/:id/expire', z.strictObject({}), expire),
];
