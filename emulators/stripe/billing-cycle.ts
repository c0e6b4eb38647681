import type { Account } from './account.ts';
import { expireSession } from './checkout.ts';
import { finalizeInvoice, openInvoice } from './invoices.ts';
import type { Subscription, SubscriptionStatus } from './objects.ts';
import { beginNextPeriod, isOpen } from './subscriptions.ts';

const INVOICED: readonly SubscriptionStatus[] = ['active', 'past_due', 'trialing'];
/**
 * How long events and answers are kept, from https://docs.stripe.com/api/events and
 * https://docs.stripe.com/api/idempotent_requests
 */
const EVENT_S = 30 * 86_400;
const IDEMPOTENCY_S = 24 * 3600;

/**
 * Makes all changes that Stripe would have made by now, such as closing periods and finalizing invoices. Does not send
 * webhooks.
 */
export function advanceBilling(account: Account): void {
  const { state } = account;
  const now = account.now();
  for (const subscription of state.subscriptions) closePeriods(account, subscription);
  for (const invoice of state.invoices) {
    if ((invoice.automatically_finalizes_at ?? Infinity) <= now) finalizeInvoice(account, invoice);
  }
  for (const session of state.checkout_sessions) {
    if (session.status === 'open' && session.expires_at <= now) expireSession(account, session);
  }
  state.events = state.events.filter((event) => event.created >= now - EVENT_S || event.pending_webhooks > 0);
  state.idempotent_answers = state.idempotent_answers.filter(({ created }) => created >= now - IDEMPOTENCY_S);
}

/**
 * Closes all periods of a subscription that have ended, and opens their invoices. Each draft invoice is created now, so
 * it can still be changed for a full hour.
 */
function closePeriods(account: Account, subscription: Subscription): void {
  while (isOpen(subscription) && subscription.items.data[0].current_period_end <= account.now()) {
    const ended = beginNextPeriod(subscription);
    if (!INVOICED.includes(subscription.status)) continue;
    openInvoice(account, {
      auto_advance: true,
      billing_reason: 'subscription_cycle',
      customer: subscription.customer,
      description: null,
      metadata: {},
      period_start: ended.start,
      period_end: ended.end,
    });
  }
}
