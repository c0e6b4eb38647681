import type { Account } from './account.ts';
import { addMonths, anchorAfter, nextCycle } from './calendar.ts';
import { resourceMissing } from './errors.ts';
import { recordEvent } from './events.ts';
import { newId } from './ids.ts';
import type { Metadata } from './metadata.ts';
import type { AnchorConfigRecord, SubscriptionRecord, SubscriptionStatus } from './records.ts';
import type { State } from './state.ts';
import { viewSubscription } from './subscription-view.ts';

/** What a new subscription is made of. */
export type NewSubscription = {
  customer: string;
  items: readonly { price: string; quantity: number }[];
  metadata: Metadata;
  status?: SubscriptionStatus;
  description: string | null;
  billing_cycle_anchor: number | null;
  billing_cycle_anchor_config: AnchorConfigRecord | null;
};

const trialSeconds = 730 * 86_400;

/**
 * Starts a subscription. Its first period ends at the billing cycle anchor and is free, as with `proration_behavior`
 * `none`: the first invoice opens with the second period.
 * https://docs.stripe.com/payments/checkout/billing-cycle
 */
export function startSubscription(account: Account, wanted: NewSubscription): SubscriptionRecord {
  const created = account.now();
  const config = wanted.billing_cycle_anchor_config;
  const anchor = config === null ? (wanted.billing_cycle_anchor ?? created) : anchorAfter(created, config);
  const status = wanted.status ?? 'active';
  const subscription: SubscriptionRecord = {
    id: newId('sub'),
    created,
    customer: wanted.customer,
    status,
    description: wanted.description,
    metadata: wanted.metadata,
    items: wanted.items.map((item) => ({ id: newId('si'), ...item })),
    billing_cycle_anchor: anchor,
    billing_cycle_anchor_config: config,
    current_period: { start: created, end: anchor > created ? anchor : addMonths(created, 1) },
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    trial: status === 'trialing' ? { start: created, end: created + trialSeconds } : null,
    latest_invoice: null,
  };
  account.state.subscriptions.push(subscription);
  recordEvent(account, 'customer.subscription.created', viewSubscription(account, subscription));
  return subscription;
}

/** Puts a subscription in another open status. */
export function changeStatus(account: Account, subscription: SubscriptionRecord, status: SubscriptionStatus): void {
  const now = account.now();
  const previous = subscription.status;
  subscription.status = status;
  if (status === 'trialing') {
    subscription.trial = { start: now, end: now + trialSeconds };
  }
  if (status === 'incomplete_expired') {
    subscription.ended_at = now;
  }
  recordEvent(account, 'customer.subscription.updated', viewSubscription(account, subscription), { status: previous });
}

/** Ends a subscription for good. */
export function cancelSubscription(account: Account, subscription: SubscriptionRecord): void {
  subscription.status = 'canceled';
  subscription.canceled_at ??= account.now();
  subscription.ended_at ??= account.now();
  recordEvent(account, 'customer.subscription.deleted', viewSubscription(account, subscription));
}

/** Moves on to the period after the current one and returns the one that has ended. */
export function beginNextPeriod(subscription: SubscriptionRecord): SubscriptionRecord['current_period'] {
  const ended = subscription.current_period;
  subscription.current_period = { start: ended.end, end: nextCycle(subscription.billing_cycle_anchor, ended.end) };
  return ended;
}

/** Says whether a subscription can still change its status. */
export function isOpen(subscription: SubscriptionRecord): boolean {
  return subscription.status !== 'canceled' && subscription.status !== 'incomplete_expired';
}

/** The subscription of this id. Throws when there is none; `param` is where the id was given. */
export function loadSubscription(state: State, id: string, param?: string): SubscriptionRecord {
  const subscription = state.subscriptions.find((candidate) => candidate.id === id);
  if (subscription === undefined) {
    throw resourceMissing('subscription', id, param);
  }
  return subscription;
}
