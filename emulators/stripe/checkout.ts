import { z } from 'zod';
import { type Account, newId } from './account.ts';
import { loadCustomer } from './customers.ts';
import { recordEvent } from './events.ts';
import type { CheckoutSession, PortalSession, State } from './objects.ts';
import { metadataParam, text, webUrl } from './params.ts';
import { type Route, route } from './route.ts';
import { startSubscription } from './subscriptions.ts';

const DAY_S = 86_400;

/** A checkout session as it is stored, with the price and the metadata of the subscription that it will start. */
export type StoredSession = State['checkout_sessions'][number];

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
  session.subscription = startSubscription(account, { customer: session.customer, prices: [price], metadata }).id;
  endSession(account, session, 'complete');
}

export function expireSession(account: Account, session: StoredSession): void {
  endSession(account, session, 'expired');
}

function endSession(account: Account, session: StoredSession, status: 'complete' | 'expired'): void {
  session.status = status;
  session.url = null;
  const { sells, ...shown } = session;
  recordEvent(account, `checkout.session.${status === 'complete' ? 'completed' : status}`, shown);
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

export const checkoutRoutes: readonly Route[] = [
  route('POST', '/v1/checkout/sessions', checkoutParams, createCheckout),
  route('POST', '/v1/billing_portal/sessions', portalParams, createPortal),
];
