import { z } from 'zod';
import { type Account, load, newId } from './account.ts';
import { recordEvent } from './events.ts';
import type { Customer, State } from './objects.ts';
import { metadataParam, nothing, pageOf, pageParams, type Route, route } from './route.ts';

/**
 * Returns the customer with this id. If it does not exist, throws {@link StripeError}: 404 if the id is from the path,
 * or 400 if it is from the parameter `param`.
 */
export function loadCustomer(state: State, id: string, param?: string): Customer {
  return load(state.customers, 'customer', id, param);
}

export function createCustomer(account: Account, metadata: Customer['metadata']): Customer {
  const customer: Customer = { id: newId('cus'), object: 'customer', created: account.now(), metadata };
  account.state.customers.push(customer);
  recordEvent(account, 'customer.created', customer);
  return customer;
}

export const customerRoutes: readonly Route[] = [
  route('POST', '/v1/customers', z.strictObject({ metadata: metadataParam }), (account, { metadata }) =>
    createCustomer(account, metadata),
  ),
  route('GET', '/v1/customers', z.strictObject(pageParams), ({ state }, page) =>
    pageOf('/v1/customers', state.customers, page),
  ),
  route(
    'GET',
    '/v1/customers/:id',
    nothing,
    ({ state }, _, id) => state.deleted_customers.find((one) => one.id === id) ?? loadCustomer(state, id),
  ),
];
