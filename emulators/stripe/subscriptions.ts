import { z } from 'zod';
import {
  type Account,
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
} from './account.ts';
import type { Subscription, SubscriptionStatus } from './objects.ts';

interface NewSubscription {
  readonly customer: string;
  readonly prices: readonly [string, ...string[]];
  readonly metadata: Readonly<Record<string, string>>;
  /** The status of the new subscription. By default, it is `active`. */
  readonly status?: SubscriptionStatus;
  /** By default, the subscription has none. */
  readonly paymentMethod?: string;
}

/**
 * Starts a subscription. Its periods match UTC months. The first period is a partial month and is free, as with
 * `proration_behavior: none`.
 */
export function startSubscription(account: Account, wanted: NewSubscription): Subscription {
  const created = account.now();
  const item = (price: string): Subscription['items']['data'][number] => ({
    id: newId('si'),
    object: 'subscription_item',
    price: { id: price, object: 'price' },
    quantity: 1,
    current_period_start: created,
    current_period_end: nextMonth(created),
  });
  const [first, ...rest] = wanted.prices;
  const subscription: Subscription = {
    id: newId('sub'),
    object: 'subscription',
    created,
    customer: wanted.customer,
    status: wanted.status ?? 'active',
    metadata: { ...wanted.metadata },
    billing_cycle_anchor: nextMonth(created),
    default_payment_method: wanted.paymentMethod ?? null,
    items: { object: 'list', data: [item(first), ...rest.map(item)] },
  };
  account.state.subscriptions.push(subscription);
  recordEvent(account, 'customer.subscription.created', subscription);
  return subscription;
}

/** Sets a subscription's status. `canceled` is final. */
export function changeStatus(account: Account, subscription: Subscription, status: SubscriptionStatus): void {
  subscription.status = status;
  const change = status === 'canceled' ? 'deleted' : 'updated';
  recordEvent(account, `customer.subscription.${change}`, subscription);
}

/** A period, in seconds since the epoch. `end` is exclusive. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Starts the next period. Returns the period that ended. */
export function beginNextPeriod({ items }: Subscription): Period {
  const [{ current_period_start: start, current_period_end: end }] = items.data;
  for (const item of items.data) {
    item.current_period_start = end;
    item.current_period_end = nextMonth(end);
  }
  return { start, end };
}

/** Returns whether a subscription's status can still change. */
export function isOpen({ status }: Subscription): boolean {
  return status !== 'canceled' && status !== 'incomplete_expired';
}

/** Returns the start of the next UTC month, in seconds since the epoch. */
function nextMonth(seconds: number): number {
  const from = new Date(seconds * 1000);
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1) / 1000;
}

export function isAtPrice({ items }: Subscription, price: string): boolean {
  return items.data.some((item) => item.price.id === price);
}

const wantedItem = z.strictObject({ price: text });
const createParams = z.strictObject({
  customer: text,
  items: z.object({ 0: wantedItem }).catchall(wantedItem),
  metadata: metadataParam,
});

/**
 * Creates a subscription as a person would in Stripe's dashboard. Only tests call this route. Unlike a checkout, it
 * does not require metadata that names the tenant.
 */
function createSubscription(account: Account, params: z.output<typeof createParams>): Subscription {
  const { metadata } = params;
  const customer = loadCustomer(account.state, params.customer, 'customer').id;
  const { 0: first, ...rest } = params.items;
  const prices = Object.values(rest).map(({ price }) => price);
  return startSubscription(account, { customer, prices: [first.price, ...prices], metadata });
}

const listParams = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  price: text.optional(),
  status: z.literal('all').optional(),
});

/** Lists subscriptions. Omits canceled ones unless `status` is `all`. */
function listSubscriptions({ state }: Account, { customer, price, status, ...page }: z.output<typeof listParams>) {
  const subscriptions = state.subscriptions
    .filter((subscription) => (customer ?? subscription.customer) === subscription.customer)
    .filter((subscription) => price === undefined || isAtPrice(subscription, price))
    .filter((subscription) => status === 'all' || subscription.status !== 'canceled');
  return pageOf('/v1/subscriptions', subscriptions, page);
}

function cancelSubscription(account: Account, _: object, id: string): Subscription {
  const subscription = load(account.state.subscriptions.filter(isOpen), 'subscription', id);
  changeStatus(account, subscription, 'canceled');
  return subscription;
}

export const subscriptionRoutes: readonly Route[] = [
  route('DELETE', '/v1/subscriptions/:id', nothing, cancelSubscription),
  route('POST', '/v1/subscriptions', createParams, createSubscription),
  route('GET', '/v1/subscriptions', listParams, listSubscriptions),
];
