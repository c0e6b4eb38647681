import * as z from 'zod';
import type { Account } from './account.ts';
import { resourceMissing } from './errors.ts';
import { newId } from './ids.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { pageParams, viewPage } from './pagination.ts';
import { flag, text } from './params.ts';
import type { ProductRecord } from './records.ts';
import { type Route, route } from './route.ts';
import type { State } from './state.ts';

/** The product object. */
export function viewProduct(product: ProductRecord) {
  return {
    ...product,
    object: 'product' as const,
    default_price: null,
    images: [],
    livemode: false,
    marketing_features: [],
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    url: null,
  };
}

/** The product of this id. Throws when there is none; `param` is where the id was given. */
export function loadProduct(state: State, id: string, param?: string): ProductRecord {
  const product = state.products.find((candidate) => candidate.id === id);
  if (product === undefined) {
    throw resourceMissing('product', id, param);
  }
  return product;
}

const createParams = z.strictObject({
  id: text.optional(),
  name: text,
  active: flag.optional(),
  description: text.optional(),
  metadata: metadataParam,
});

/** Adds a product. */
export function createProduct(account: Account, params: z.output<typeof createParams>): ProductRecord {
  const product: ProductRecord = {
    id: params.id ?? newId('prod'),
    created: account.now(),
    updated: account.now(),
    active: params.active ?? true,
    name: params.name,
    description: params.description ?? null,
    metadata: changeMetadata({}, params.metadata),
  };
  account.state.products.push(product);
  return product;
}

const listParams = z.strictObject({ ...pageParams, active: flag.optional() });

function listProducts({ state }: Account, params: z.output<typeof listParams>) {
  const products = state.products
    .filter((product) => (params.active ?? product.active) === product.active)
    .map(viewProduct);
  return viewPage('/v1/products', products.reverse(), params);
}

export const productRoutes: Route[] = [
  route('POST', '/v1/products', createParams, (account, params) => viewProduct(createProduct(account, params))),
  route('GET', '/v1/products', listParams, listProducts),
  route('GET', '/v1/products/:id', z.strictObject({}), ({ state }, _, id) => viewProduct(loadProduct(state, id))),
];
