import type { Account } from './account.ts';
import { expireSession } from './checkout-completion.ts';
import { finalizeInvoice } from './invoice-collection.ts';
import { openCycleInvoice } from './invoice-opening.ts';
import type { SubscriptionRecord, SubscriptionStatus } from './records.ts';
import { forgetOld } from './retention.ts';
import { beginNextPeriod, cancelSubscription, isOpen } from './subscription-lifecycle.ts';

const invoiced: readonly SubscriptionStatus[] = ['active', 'past_due', 'trialing'];

/** Does everything that Stripe would have done by itself up to now; the events wait for delivery. */
export function advanceBilling(account: Account): void {
  const now = account.now();
  for (const subscription of account.state.subscriptions) {
    closePeriods(account, subscription);
  }
  for (const invoice of account.state.invoices) {
    if (invoice.status === 'draft' && (invoice.automatically_finalizes_at ?? Infinity) <= now) {
      finalizeInvoice(account, invoice);
    }
  }
  for (const session of account.state.checkout_sessions) {
    if (session.status === 'open' && session.expires_at <= now) {
      expireSession(account, session);
    }
  }
  forgetOld(account);
}

// A draft is created now, however long ago its period ended: the hour in which it takes items begins when it is seen.
function closePeriods(account: Account, subscription: SubscriptionRecord): void {
  while (isOpen(subscription) && subscription.current_period.end <= account.now()) {
    if (subscription.cancel_at_period_end) {
      cancelSubscription(account, subscription);
      return;
    }
    const ended = beginNextPeriod(subscription);
    if (invoiced.includes(subscription.status)) {
      openCycleInvoice(account, subscription, ended);
    }
  }
}
