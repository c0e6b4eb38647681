import * as z from 'zod';
import type { Account } from './account.ts';
import { anchorParams, readAnchor } from './anchor.ts';
import { loadCustomer } from './customers.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { recordEvent } from './events.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { isWithin, pageParams, rangeParam, viewPage } from './pagination.ts';
import { count, flag, listOf, text } from './params.ts';
import { loadPrice } from './prices.ts';
import { type SubscriptionRecord, subscriptionStatus } from './records.ts';
import { type Route, route } from './route.ts';
import { cancelSubscription, isOpen, loadSubscription, startSubscription } from './subscription-lifecycle.ts';
import { viewSubscription } from './subscription-view.ts';

const createParams = z.strictObject({
  customer: text,
  items: listOf(z.strictObject({ price: text, quantity: count.optional() })),
  description: text.optional(),
  metadata: metadataParam,
  ...anchorParams,
});

function createSubscription(account: Account, params: z.output<typeof createParams>) {
  const anchor = readAnchor(params, account.now());
  const metadata = changeMetadata({}, params.metadata);
  const customer = loadCustomer(account.state, params.customer, 'customer');
  const items = params.items.map(({ price, quantity = 1 }, index) => {
    return { price: loadPrice(account, price, `items[${index}][price]`).id, quantity };
  });
  const description = params.description ?? null;
  const subscription = startSubscription(account, { customer: customer.id, items, metadata, description, ...anchor });
  return viewSubscription(account, subscription);
}

const updateParams = z.strictObject({
  cancel_at_period_end: flag.optional(),
  description: text.optional(),
  metadata: metadataParam,
  proration_behavior: anchorParams.proration_behavior,
});

function updateSubscription(account: Account, params: z.output<typeof updateParams>, id: string) {
  const subscription = loadSubscription(account.state, id);
  const metadata = changeMetadata(subscription.metadata, params.metadata);
  const { cancel_at_period_end, description } = params;
  if (!isOpen(subscription) && (cancel_at_period_end !== undefined || description !== undefined)) {
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  }
  subscription.metadata = metadata;
  subscription.description = (description ?? subscription.description) || null;
  if (cancel_at_period_end !== undefined) {
    subscription.cancel_at_period_end = cancel_at_period_end;
    subscription.canceled_at = cancel_at_period_end ? account.now() : null;
  }
  recordEvent(account, 'customer.subscription.updated', viewSubscription(account, subscription));
  return viewSubscription(account, subscription);
}

const cancelParams = z.strictObject({
  invoice_now: z.literal('false').optional(),
  prorate: z.literal('false').optional(),
});

function cancel(account: Account, _: object, id: string) {
  const subscription = loadSubscription(account.state, id);
  if (!isOpen(subscription)) {
    throw resourceMissing('subscription', id);
  }
  cancelSubscription(account, subscription);
  return viewSubscription(account, subscription);
}

const listParams = z.strictObject({
  ...pageParams,
  created: rangeParam,
  customer: text.optional(),
  price: text.optional(),
  status: z.enum(['all', 'ended', ...subscriptionStatus.options]).optional(),
});

function listSubscriptions(account: Account, params: z.output<typeof listParams>) {
  const subscriptions = account.state.subscriptions
    .filter((subscription) => isWithin(subscription.created, params.created))
    .filter((subscription) => (params.customer ?? subscription.customer) === subscription.customer)
    .filter(({ items }) => params.price === undefined || items.some((item) => item.price === params.price))
    .filter((subscription) => hasStatus(subscription, params.status))
    .map((subscription) => viewSubscription(account, subscription));
  return viewPage('/v1/subscriptions', subscriptions.reverse(), params);
}

function hasStatus(subscription: SubscriptionRecord, wanted: z.output<typeof listParams>['status']): boolean {
  switch (wanted) {
    case undefined:
      return subscription.status !== 'canceled';
    case 'all':
      return true;
    case 'ended':
      return !isOpen(subscription);
    default:
      return subscription.status === wanted;
  }
}

export const subscriptionRoutes: Route[] = [
  route('POST', '/v1/subscriptions', createParams, createSubscription),
  route('GET', '/v1/subscriptions', listParams, listSubscriptions),
  route('GET', '/v1/subscriptions/:id', z.strictObject({}), (account, _, id) =>
    viewSubscription(account, loadSubscription(account.state, id)),
  ),
  route('POST', '/v1/subscriptions/:id', updateParams, updateSubscription),
  route('DELETE', '/v1/subscriptions/:id', cancelParams, cancel),
];
