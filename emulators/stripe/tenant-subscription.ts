import type { Account } from './account.ts';
import { createCustomer } from './customers.ts';
import { loadPrice } from './prices.ts';
import type { SubscriptionRecord, SubscriptionStatus } from './records.ts';
import { cancelSubscription, changeStatus, isOpen, startSubscription } from './subscription-lifecycle.ts';
import { customerOf, subscriptionsOf } from './tenants.ts';

const monthStart = { day_of_month: 1, hour: 0, minute: 0, second: 0 };

/**
 * Puts a tenant's subscription at the price in a status, whatever it takes: a customer, a subscription, a new one after one
 * that has ended for good. `none` ends what there is and forgets it, as no status of Stripe's does.
 */
export function setTenantSubscription(
  account: Account,
  priceId: string,
  tenantId: string,
  wanted: SubscriptionStatus | 'none',
): void {
  const known = subscriptionsOf(account.state, tenantId, priceId);
  const latest = known.findLast(isOpen) ?? known.at(-1);
  if (wanted === 'none') {
    for (const subscription of known) {
      cancelSubscription(account, subscription);
    }
    account.state.subscriptions = account.state.subscriptions.filter((one) => !known.includes(one));
    return;
  }
  if (latest === undefined || (!isOpen(latest) && latest.status !== wanted)) {
    start(account, priceId, tenantId, wanted);
  } else if (wanted === 'canceled') {
    cancelSubscription(account, latest);
  } else {
    changeStatus(account, latest, wanted);
  }
}

function start(account: Account, priceId: string, tenantId: string, wanted: SubscriptionStatus): void {
  const metadata = { tenant_id: tenantId };
  const customer = customerOf(account.state, tenantId) ?? createCustomer(account, { metadata });
  const subscription: SubscriptionRecord = startSubscription(account, {
    customer: customer.id,
    items: [{ price: loadPrice(account, priceId).id, quantity: 1 }],
    metadata,
    status: wanted === 'canceled' ? 'active' : wanted,
    description: null,
    billing_cycle_anchor: null,
    billing_cycle_anchor_config: monthStart,
  });
  if (wanted === 'canceled') {
    cancelSubscription(account, subscription);
  }
}
