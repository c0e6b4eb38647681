import { z } from 'zod';
import { type Account, newId } from './account.ts';
import { loadCustomer } from './customers.ts';
import { recordEvent } from './events.ts';
import type { Subscription, SubscriptionStatus } from './objects.ts';
import { metadataParam, text } from './params.ts';
import { pageOf, pageParams, type Route, route } from './route.ts';

/** What a new subscription is made of. */
export interface NewSubscription {
  readonly customer: string;
  /** The prices of its items. */
  readonly prices: readonly [string, ...string[]];
  readonly metadata: Readonly<Record<string, string>>;
  /** `active` unless said otherwise. */
  readonly status?: SubscriptionStatus;
}

/**
 * Starts a subscription whose periods begin with UTC months. The first, partial one is free, as with
 * `proration_behavior` `none`: the first invoice opens with the second period.
 */
export function startSubscription(account: Account, wanted: NewSubscription): Subscription {
  const created = account.now();
  const item = (price: string) => ({
    id: newId('si'),
    object: 'subscription_item' as const,
    price: { id: price, object: 'price' as const },
    quantity: 1 as const,
    current_period_start: created,
    current_period_end: nextMonth(created),
  });
  const [first, ...others] = wanted.prices;
  const subscription: Subscription = {
    id: newId('sub'),
    object: 'subscription',
    created,
    customer: wanted.customer,
    status: wanted.status ?? 'active',
    metadata: { ...wanted.metadata },
    billing_cycle_anchor: nextMonth(created),
    items: { object: 'list', data: [item(first), ...others.map(item)] },
  };
  account.state.subscriptions.push(subscription);
  recordEvent(account, 'customer.subscription.created', subscription);
  return subscription;
}

/** Puts a subscription in another status; `canceled` ends it for good. */
export function changeStatus(account: Account, subscription: Subscription, status: SubscriptionStatus): void {
  subscription.status = status;
  const change = status === 'canceled' ? 'deleted' : 'updated';
  recordEvent(account, `customer.subscription.${change}`, subscription);
}

/** Moves on to the period after the current one. Returns the one that has ended, from its first second up to but without `end`. */
export function beginNextPeriod({ items }: Subscription): { start: number; end: number } {
  const ended = { start: items.data[0].current_period_start, end: items.data[0].current_period_end };
  for (const item of items.data) {
    item.current_period_start = ended.end;
    item.current_period_end = nextMonth(ended.end);
  }
  return ended;
}

/** Whether a subscription can still change its status. */
export function isOpen({ status }: Subscription): boolean {
  return status !== 'canceled' && status !== 'incomplete_expired';
}

/** The first second of the UTC month after the one that an instant lies in, both in seconds since the epoch. */
function nextMonth(seconds: number): number {
  const from = new Date(seconds * 1000);
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1) / 1000;
}

/** Whether a subscription has an item of that price. */
export function isAtPrice({ items }: Subscription, price: string): boolean {
  return items.data.some((item) => item.price.id === price);
}

const item = z.strictObject({ price: text });
const createParams = z.strictObject({
  customer: text,
  /** A list has its places for names. */
  items: z
    .record(z.string(), item)
    .transform((items) => Object.values(items).map(({ price }) => price))
    .pipe(z.tuple([text], text)),
  metadata: metadataParam,
});

function createSubscription(account: Account, { customer, items, metadata }: z.output<typeof createParams>) {
  const { id } = loadCustomer(account.state, customer, 'customer');
  return startSubscription(account, { customer: id, prices: items, metadata });
}

const listParams = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  price: text.optional(),
  status: z.literal('all').optional(),
});

/** Canceled ones are listed only where all are asked for. */
function listSubscriptions({ state }: Account, { customer, price, status, ...page }: z.output<typeof listParams>) {
  const subscriptions = state.subscriptions
    .filter((subscription) => (customer ?? subscription.customer) === subscription.customer)
    .filter((subscription) => price === undefined || isAtPrice(subscription, price))
    .filter((subscription) => status === 'all' || subscription.status !== 'canceled');
  return pageOf('/v1/subscriptions', subscriptions, page);
}

export const subscriptionRoutes: readonly Route[] = [
  route('POST', '/v1/subscriptions', createParams, createSubscription),
  route('GET', '/v1/subscriptions', listParams, listSubscriptions),
];
