import * as z from 'zod';
import type { Account } from './account.ts';
import { loadCustomer } from './customers.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { newId } from './ids.ts';
import { viewInvoiceItem } from './invoice-item-view.ts';
import { itemsOf } from './invoice-lines.ts';
import { loadInvoice, refuseUnlessDraft } from './invoices.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { multiplyDecimals } from './money.ts';
import { isWithin, pageParams, rangeParam, viewPage } from './pagination.ts';
import { count, decimal, flag, integer, text } from './params.ts';
import type { InvoiceItemRecord, InvoiceRecord } from './records.ts';
import { type Route, route } from './route.ts';
import type { State } from './state.ts';
import { loadSubscription } from './subscription-lifecycle.ts';

// https://docs.stripe.com/api/invoiceitems/create#create_invoiceitem-invoice
const itemsPerInvoice = 250;

const createParams = z.strictObject({
  customer: text.optional(),
  invoice: text.optional(),
  subscription: text.optional(),
  amount: integer.optional(),
  unit_amount_decimal: decimal.optional(),
  quantity: count.optional(),
  quantity_decimal: decimal.optional(),
  currency: z.literal('usd').optional(),
  description: text.optional(),
  discountable: flag.optional(),
  metadata: metadataParam,
  period: z.strictObject({ start: count, end: count }).optional(),
});

type CreateParams = z.output<typeof createParams>;

function createInvoiceItem(account: Account, params: CreateParams) {
  const { state } = account;
  const invoice = params.invoice ? loadInvoice(state, params.invoice, 'invoice') : null;
  const subscription = params.subscription ? loadSubscription(state, params.subscription, 'subscription') : null;
  if (invoice !== null) {
    refuseUnlessRoom(state, invoice);
  }
  const customer = loadCustomer(
    state,
    params.customer ?? invoice?.customer ?? subscription?.customer ?? '',
    'customer',
  );
  if ((invoice?.customer ?? customer.id) !== customer.id) {
    throw invalidRequest('The invoice belongs to another customer.', { param: 'invoice' });
  }
  if (params.period !== undefined && params.period.end < params.period.start) {
    throw invalidRequest('The period ends before it starts.', { param: 'period[end]' });
  }
  const price = readPrice(params);
  const item: InvoiceItemRecord = {
    id: newId('ii'),
    line_id: newId('il'),
    date: account.now(),
    customer: customer.id,
    invoice: invoice?.id ?? null,
    subscription: subscription?.id ?? invoice?.subscription ?? null,
    was_pending: false,
    ...price,
    currency: 'usd',
    description: params.description || null,
    discountable: params.discountable ?? price.amount >= 0,
    metadata: changeMetadata({}, params.metadata),
    period: params.period ?? { start: account.now(), end: account.now() },
  };
  state.invoice_items.push(item);
  return viewInvoiceItem(item);
}

/** Throws unless the invoice is a draft that takes one more item. */
function refuseUnlessRoom(state: State, invoice: InvoiceRecord): void {
  refuseUnlessDraft(invoice);
  if (itemsOf(state, invoice).length >= itemsPerInvoice) {
    throw invalidRequest(`An invoice can have at most ${itemsPerInvoice} invoice items.`, { param: 'invoice' });
  }
}

/** An item's price: one amount, or a unit amount times a quantity. Throws when both or neither are given. */
function readPrice(params: CreateParams) {
  const { amount, unit_amount_decimal, quantity, quantity_decimal } = params;
  if (amount !== undefined && (unit_amount_decimal ?? quantity ?? quantity_decimal) !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: amount, unit_amount_decimal with a quantity.', {
      code: 'parameters_exclusive',
      param: 'amount',
    });
  }
  if (quantity !== undefined && quantity_decimal !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: quantity, quantity_decimal.', {
      code: 'parameters_exclusive',
      param: 'quantity',
    });
  }
  const units = quantity_decimal ?? String(quantity ?? 1);
  const unitAmount = amount === undefined ? unit_amount_decimal : String(amount);
  if (unitAmount === undefined) {
    throw invalidRequest('Missing required param: amount.', { code: 'parameter_missing', param: 'amount' });
  }
  if (units.startsWith('-')) {
    throw invalidRequest('Invalid non-negative decimal', { param: 'quantity_decimal' });
  }
  return {
    amount: multiplyDecimals(unitAmount, units),
    unit_amount_decimal: unitAmount,
    quantity_decimal: units,
  };
}

function loadInvoiceItem(state: State, id: string): InvoiceItemRecord {
  const item = state.invoice_items.find((candidate) => candidate.id === id);
  if (item === undefined) {
    throw resourceMissing('invoiceitem', id);
  }
  return item;
}

function deleteInvoiceItem({ state }: Account, _: object, id: string) {
  const item = loadInvoiceItem(state, id);
  if (item.invoice !== null) {
    refuseUnlessDraft(loadInvoice(state, item.invoice));
  }
  state.invoice_items.splice(state.invoice_items.indexOf(item), 1);
  return { id, object: 'invoiceitem', deleted: true };
}

const listParams = z.strictObject({
  ...pageParams,
  created: rangeParam,
  customer: text.optional(),
  invoice: text.optional(),
  pending: flag.optional(),
});

function listInvoiceItems({ state }: Account, params: z.output<typeof listParams>) {
  const { customer, invoice, pending } = params;
  const items = state.invoice_items
    .filter((item) => isWithin(item.date, params.created))
    .filter((item) => (customer ?? item.customer) === item.customer && (invoice ?? item.invoice) === item.invoice)
    .filter((item) => pending === undefined || pending === (item.invoice === null))
    .map(viewInvoiceItem);
  return viewPage('/v1/invoiceitems', items.reverse(), params);
}

export const invoiceItemRoutes: Route[] = [
  route('POST', '/v1/invoiceitems', createParams, createInvoiceItem),
  route('GET', '/v1/invoiceitems', listParams, listInvoiceItems),
  route('GET', '/v1/invoiceitems/:id', z.strictObject({}), ({ state }, _, id) =>
    viewInvoiceItem(loadInvoiceItem(state, id)),
  ),
  route('DELETE', '/v1/invoiceitems/:id', z.strictObject({}), deleteInvoiceItem),
];
