import * as z from 'zod';
import type { Account } from './account.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { newId } from './ids.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { pageParams, viewPage } from './pagination.ts';
import { count, currency, decimal, flag, listOf, text } from './params.ts';
import { viewPrice } from './price-view.ts';
import { createProduct, loadProduct } from './products.ts';
import type { PriceRecord } from './records.ts';
import { type Route, route } from './route.ts';

/**
 * The price of this id. An unknown `price_…` is made at once, a monthly price of $0: it stands for one that a person
 * sets up in Stripe's dashboard and names in the service's configuration. Throws for any other unknown id.
 */
export function loadPrice(account: Account, id: string, param?: string): PriceRecord {
  const known = account.state.prices.find((candidate) => candidate.id === id);
  if (known !== undefined) {
    return known;
  }
  if (!/^price_\w+$/.test(id)) {
    throw resourceMissing('price', id, param);
  }
  const product = createProduct(account, { name: 'Subscription' });
  return addPrice(account, { id, product: product.id, currency: 'usd', unitAmount: '0', recurring: true });
}

type NewPrice = {
  id: string;
  product: string;
  currency: string;
  unitAmount: string;
  recurring: boolean;
  nickname?: string | undefined;
  lookupKey?: string | undefined;
  metadata?: Record<string, string>;
};

function addPrice(account: Account, price: NewPrice): PriceRecord {
  const record: PriceRecord = {
    id: price.id,
    created: account.now(),
    active: true,
    currency: price.currency,
    product: price.product,
    nickname: price.nickname ?? null,
    lookup_key: price.lookupKey ?? null,
    metadata: price.metadata ?? {},
    recurring: price.recurring,
    unit_amount_decimal: price.unitAmount,
  };
  account.state.prices.push(record);
  return record;
}

const createParams = z.strictObject({
  currency,
  product: text.optional(),
  product_data: z.strictObject({ name: text, metadata: metadataParam }).optional(),
  recurring: z.strictObject({ interval: z.literal('month'), interval_count: z.literal('1').optional() }).optional(),
  unit_amount: count.optional(),
  unit_amount_decimal: decimal.optional(),
  nickname: text.optional(),
  lookup_key: text.optional(),
  metadata: metadataParam,
});

function createPrice(account: Account, params: z.output<typeof createParams>) {
  const unitAmount = params.unit_amount?.toString() ?? params.unit_amount_decimal;
  if (unitAmount === undefined) {
    throw invalidRequest('Missing required param: unit_amount.', { code: 'parameter_missing', param: 'unit_amount' });
  }
  const metadata = changeMetadata({}, params.metadata);
  const product =
    params.product_data === undefined
      ? loadProduct(account.state, params.product ?? '', 'product')
      : createProduct(account, params.product_data);
  const price = addPrice(account, {
    id: newId('price'),
    product: product.id,
    currency: params.currency,
    unitAmount,
    recurring: params.recurring !== undefined,
    nickname: params.nickname,
    lookupKey: params.lookup_key,
    metadata,
  });
  return viewPrice(price);
}

const listParams = z.strictObject({
  ...pageParams,
  active: flag.optional(),
  product: text.optional(),
  lookup_keys: listOf(text).optional(),
});

function listPrices({ state }: Account, params: z.output<typeof listParams>) {
  const prices = state.prices
    .filter((price) => (params.active ?? price.active) === price.active)
    .filter((price) => (params.product ?? price.product) === price.product)
    .filter((price) => params.lookup_keys?.includes(price.lookup_key ?? '') ?? true)
    .map(viewPrice);
  return viewPage('/v1/prices', prices.reverse(), params);
}

export const priceRoutes: Route[] = [
  route('POST', '/v1/prices', createParams, createPrice),
  route('GET', '/v1/prices', listParams, listPrices),
  route('GET', '/v1/prices/:id', z.strictObject({}), (account, _, id) => viewPrice(loadPrice(account, id))),
];
