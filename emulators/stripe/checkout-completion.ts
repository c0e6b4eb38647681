import type { Account } from './account.ts';
import { viewCheckoutSession } from './checkout-view.ts';
import { createCustomer } from './customers.ts';
import { recordEvent } from './events.ts';
import type { CheckoutSessionRecord } from './records.ts';
import { startSubscription } from './subscription-lifecycle.ts';

/** Completes an open session as a person who pays does: starts the subscription, for a new customer if need be. */
export function completeSession(account: Account, session: CheckoutSessionRecord): void {
  session.customer ??= createCustomer(account, { email: session.customer_email ?? undefined }).id;
  const subscription = startSubscription(account, {
    ...session.subscription_data,
    customer: session.customer,
    items: session.line_items.map(({ price, quantity }) => ({ price, quantity })),
  });
  session.subscription = subscription.id;
  session.status = 'complete';
  recordEvent(account, 'checkout.session.completed', viewCheckoutSession(account, session));
}

/** Closes an open session that nobody paid. */
export function expireSession(account: Account, session: CheckoutSessionRecord): void {
  session.status = 'expired';
  recordEvent(account, 'checkout.session.expired', viewCheckoutSession(account, session));
}

/** Where a completed session sends the person, with nothing but ASCII in it. */
export function successUrl(session: CheckoutSessionRecord): string {
  return new URL(session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)).href;
}
