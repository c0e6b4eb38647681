import * as z from 'zod';
import type { Account } from './account.ts';
import { resourceMissing } from './errors.ts';
import { recordEvent } from './events.ts';
import { newId, randomText } from './ids.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { isWithin, pageParams, rangeParam, viewPage } from './pagination.ts';
import { text } from './params.ts';
import type { CustomerRecord } from './records.ts';
import { type Route, route } from './route.ts';
import type { State } from './state.ts';

/** The customer object. */
export function viewCustomer(customer: CustomerRecord) {
  return {
    ...customer,
    object: 'customer' as const,
    address: null,
    balance: 0,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    discount: null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** The customer of this id. Throws when there is none; `param` is where the id was given. */
export function loadCustomer(state: State, id: string, param?: string): CustomerRecord {
  const customer = state.customers.find((candidate) => candidate.id === id);
  if (customer === undefined) {
    throw resourceMissing('customer', id, param);
  }
  return customer;
}

const details = {
  name: text.optional(),
  email: text.optional(),
  description: text.optional(),
  phone: text.optional(),
  metadata: metadataParam,
};
const customerParams = z.strictObject(details);

/** Adds a customer. */
export function createCustomer(account: Account, params: z.output<typeof customerParams>): CustomerRecord {
  const customer: CustomerRecord = {
    id: newId('cus'),
    created: account.now(),
    name: params.name || null,
    email: params.email || null,
    description: params.description || null,
    phone: params.phone || null,
    metadata: changeMetadata({}, params.metadata),
    invoice_prefix: randomText(8).toUpperCase(),
    next_invoice_sequence: 1,
  };
  account.state.customers.push(customer);
  recordEvent(account, 'customer.created', viewCustomer(customer));
  return customer;
}

function updateCustomer(account: Account, params: z.output<typeof customerParams>, id: string) {
  const customer = loadCustomer(account.state, id);
  const metadata = changeMetadata(customer.metadata, params.metadata);
  // An empty text unsets a field.
  customer.name = (params.name ?? customer.name) || null;
  customer.email = (params.email ?? customer.email) || null;
  customer.description = (params.description ?? customer.description) || null;
  customer.phone = (params.phone ?? customer.phone) || null;
  customer.metadata = metadata;
  recordEvent(account, 'customer.updated', viewCustomer(customer));
  return viewCustomer(customer);
}

const listParams = z.strictObject({ ...pageParams, created: rangeParam, email: text.optional() });

function listCustomers({ state }: Account, params: z.output<typeof listParams>) {
  const customers = state.customers
    .filter((customer) => isWithin(customer.created, params.created))
    .filter((customer) => (params.email ?? customer.email) === customer.email)
    .map(viewCustomer);
  return viewPage('/v1/customers', customers.reverse(), params);
}

export const customerRoutes: Route[] = [
  route('POST', '/v1/customers', customerParams, (account, params) => viewCustomer(createCustomer(account, params))),
  route('GET', '/v1/customers', listParams, listCustomers),
  route('GET', '/v1/customers/:id', z.strictObject({}), ({ state }, _, id) => viewCustomer(loadCustomer(state, id))),
  route('POST', '/v1/customers/:id', customerParams, updateCustomer),
];
