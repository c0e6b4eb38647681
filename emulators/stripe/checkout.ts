import { z } from 'zod';
import {
  type Account,
  invalidRequest,
  load,
  loadCustomer,
  metadataParam,
  newId,
  nothing,
  pageOf,
  pageParams,
  type Route,
  recordEvent,
  route,
  text,
  webUrl,
} from './account.ts';
import type { CheckoutSession, PortalSession, State } from './objects.ts';
import { changeStatus, isOpen, startSubscription } from './subscriptions.ts';

const DAY_S = 86_400;

/** A checkout session as it is stored, with the price and the metadata of the subscription that it will start. */
type StoredSession = State['checkout_sessions'][number];

/** The only billing cycle that is supported. Each period starts at the first second of a UTC month. */
const monthStart = z.strictObject({
  day_of_month: z.literal('1'),
  hour: z.literal('0'),
  minute: z.literal('0'),
  second: z.literal('0'),
});

const checkoutParams = z.strictObject({
  mode: z.literal('subscription'),
  customer: text,
  client_reference_id: text.max(200).optional(),
  line_items: z.strictObject({
    0: z.strictObject({ price: z.string().regex(/^price_\w+$/), quantity: z.literal('1') }),
  }),
  subscription_data: z.strictObject({
    metadata: metadataParam,
    billing_cycle_anchor_config: monthStart,
    proration_behavior: z.literal('none'),
  }),
  success_url: webUrl,
  cancel_url: webUrl,
});

function createCheckout(account: Account, params: z.output<typeof checkoutParams>): CheckoutSession {
  const id = newId('cs_test');
  const session: CheckoutSession = {
    id,
    object: 'checkout.session',
    created: account.now(),
    expires_at: account.now() + DAY_S,
    mode: params.mode,
    status: 'open',
    customer: loadCustomer(account.state, params.customer, 'customer').id,
    client_reference_id: params.client_reference_id ?? null,
    success_url: params.success_url,
    cancel_url: params.cancel_url,
    url: `${account.baseUrl}/c/pay/${id}`,
    subscription: null,
  };
  const sells = { price: params.line_items[0].price, metadata: params.subscription_data.metadata };
  account.state.checkout_sessions.push({ ...session, sells });
  return session;
}

/** Completes an open session as if a person had paid, and starts the subscription. */
export function completeSession(account: Account, session: StoredSession): void {
  const { price, metadata } = session.sells;
  // Checkout stores the payment method on the subscription, not on the customer.
  const paymentMethod = newId('pm');
  const wanted = { customer: session.customer, prices: [price], metadata, paymentMethod } as const;
  session.subscription = startSubscription(account, wanted).id;
  endSession(account, session, 'complete');
}

export function expireSession(account: Account, session: StoredSession): void {
  endSession(account, session, 'expired');
}

function endSession(account: Account, session: StoredSession, status: 'complete' | 'expired'): void {
  session.status = status;
  session.url = null;
  recordEvent(account, `checkout.session.${status === 'complete' ? 'completed' : status}`, shown(session));
}

function shown({ sells, ...session }: StoredSession): CheckoutSession {
  return session;
}

const portalParams = z.strictObject({ customer: text, return_url: webUrl });

function createPortal({ state, now, baseUrl }: Account, params: z.output<typeof portalParams>): PortalSession {
  const id = newId('bps');
  const session: PortalSession = {
    id,
    object: 'billing_portal.session',
    created: now(),
    customer: loadCustomer(state, params.customer, 'customer').id,
    return_url: params.return_url,
    url: `${baseUrl}/p/session/${id}`,
  };
  state.portal_sessions.push(session);
  return session;
}

const listParams = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  status: z.enum(['open', 'complete', 'expired']).optional(),
});

function listCheckouts({ state }: Account, { customer, status, ...page }: z.output<typeof listParams>) {
  const sessions = state.checkout_sessions
    .filter((session) => (customer ?? session.customer) === session.customer)
    .filter((session) => (status ?? session.status) === session.status);
  return pageOf('/v1/checkout/sessions', sessions.map(shown), page);
}

function expireCheckout(account: Account, _: object, id: string): CheckoutSession {
  const session = load(account.state.checkout_sessions, 'checkout.session', id);
  if (session.status !== 'open') {
    throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
  }
  expireSession(account, session);
  return shown(session);
}

/**
 * Deletes a customer, cancels their subscriptions and expires their checkout pages. The customer can then only be
 * retrieved (https://docs.stripe.com/api/customers/delete).
 */
function deleteCustomer(account: Account, _: object, id: string) {
  const { state } = account;
  const customer = loadCustomer(state, id);
  state.customers = state.customers.filter((one) => one !== customer);
  const deleted = { id, object: 'customer', deleted: true } as const;
  state.deleted_customers.push(deleted);
  for (const one of state.subscriptions.filter((own) => own.customer === id && isOpen(own)))
    changeStatus(account, one, 'canceled');
  for (const one of state.checkout_sessions.filter((own) => own.customer === id && own.status === 'open'))
    expireSession(account, one);
  recordEvent(account, 'customer.deleted', customer);
  return deleted;
}

export const checkoutRoutes: readonly Route[] = [
  route('POST', '/v1/checkout/sessions', checkoutParams, createCheckout),
  route('GET', '/v1/checkout/sessions', listParams, listCheckouts),
  route('GET', '/v1/checkout/sessions/:id', nothing, ({ state }, _, id) =>
    shown(load(state.checkout_sessions, 'checkout.session', id)),
  ),
  route('POST', '/v1/checkout/sessions/:id/expire', nothing, expireCheckout),
  route('DELETE', '/v1/customers/:id', nothing, deleteCustomer),
  route('POST', '/v1/billing_portal/sessions', portalParams, createPortal),
];
