import { z } from 'zod';
import {
  type Account,
  count,
  flag,
  invalidRequest,
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
import type { Invoice, InvoiceItem, State } from './objects.ts';

/** The time in seconds for which a draft can be changed, before Stripe finalizes it. */
const DRAFT_S = 3600;

type NewInvoice = Pick<
  Invoice,
  'auto_advance' | 'billing_reason' | 'customer' | 'description' | 'metadata' | 'period_end' | 'period_start'
>;

export function openInvoice(account: Account, wanted: NewInvoice): Invoice {
  const created = account.now();
  const invoice: Invoice = {
    ...wanted,
    id: newId('in'),
    object: 'invoice',
    created,
    status: 'draft',
    automatically_finalizes_at: wanted.auto_advance ? created + DRAFT_S : null,
    default_payment_method: null,
    currency: 'usd',
    total: 0,
  };
  account.state.invoices.push(invoice);
  recordEvent(account, 'invoice.created', invoice);
  return invoice;
}

/**
 * Finalizes a draft. Collects the payment if `auto_advance` is set. An invoice with a total of 0 is paid immediately.
 */
export function finalizeInvoice(account: Account, invoice: Invoice): void {
  invoice.status = 'open';
  invoice.automatically_finalizes_at = null;
  recordEvent(account, 'invoice.finalized', invoice);
  if (invoice.total > 0 && !invoice.auto_advance) return;
  if (invoice.total > 0 && !paymentSucceeds(account, invoice)) {
    recordEvent(account, 'invoice.payment_failed', invoice);
    return;
  }
  invoice.status = 'paid';
  recordEvent(account, 'invoice.paid', invoice);
}

/**
 * Returns whether the payment of an invoice succeeds. The emulator has no cards that can fail: a payment succeeds if the
 * invoice has a payment method or the customer an active subscription.
 */
function paymentSucceeds({ state }: Account, invoice: Invoice): boolean {
  if (invoice.default_payment_method !== null) return true;
  return state.subscriptions.some(({ customer, status }) => customer === invoice.customer && status === 'active');
}

function loadInvoice(state: State, id: string, param?: string): Invoice {
  return load(state.invoices, 'invoice', id, param);
}

/** Throws {@link StripeError} if the invoice is not a draft. */
function refuseUnlessDraft({ status }: Invoice): void {
  if (status === 'draft') return;
  throw invalidRequest('This invoice cannot be edited: it is no longer a draft.', {
    code: 'invoice_not_editable',
  });
}

const createParams = z.strictObject({
  customer: text,
  auto_advance: flag,
  pending_invoice_items_behavior: z.literal('exclude'),
  description: text.optional(),
  metadata: metadataParam,
});

function createInvoice(account: Account, params: z.output<typeof createParams>): Invoice {
  const { auto_advance, metadata, description = null } = params;
  const customer = loadCustomer(account.state, params.customer, 'customer').id;
  const now = account.now();
  const period = { period_start: now, period_end: now };
  return openInvoice(account, {
    ...period,
    auto_advance,
    billing_reason: 'manual',
    customer,
    description,
    metadata,
  });
}

const updateParams = z.strictObject({
  auto_advance: flag.optional(),
  metadata: metadataParam,
  default_payment_method: text.optional(),
});

function updateInvoice({ state, now }: Account, params: z.output<typeof updateParams>, id: string): Invoice {
  const invoice = loadInvoice(state, id);
  invoice.metadata = { ...invoice.metadata, ...params.metadata };
  invoice.auto_advance = params.auto_advance ?? invoice.auto_advance;
  invoice.default_payment_method = params.default_payment_method ?? invoice.default_payment_method;
  if (invoice.status === 'draft') {
    const scheduled = invoice.automatically_finalizes_at ?? now() + DRAFT_S;
    invoice.automatically_finalizes_at = invoice.auto_advance ? scheduled : null;
  }
  return invoice;
}

const finalizeParams = z.strictObject({ auto_advance: flag.optional() });

function finalize(account: Account, { auto_advance }: z.output<typeof finalizeParams>, id: string): Invoice {
  const invoice = loadInvoice(account.state, id);
  refuseUnlessDraft(invoice);
  invoice.auto_advance = auto_advance ?? invoice.auto_advance;
  finalizeInvoice(account, invoice);
  return invoice;
}

const listParams = z.strictObject({
  ...pageParams,
  customer: text.optional(),
  created: z.strictObject({ gte: count }).optional(),
});

function listInvoices({ state }: Account, { customer, created, ...page }: z.output<typeof listParams>) {
  const invoices = state.invoices
    .filter((invoice) => (customer ?? invoice.customer) === invoice.customer)
    .filter((invoice) => invoice.created >= (created?.gte ?? 0));
  return pageOf('/v1/invoices', invoices, page);
}

const itemParams = z.strictObject({
  customer: text,
  invoice: text,
  amount: count,
  currency: z.literal('usd'),
  description: text.optional(),
  metadata: metadataParam,
});

function createItem({ state, now }: Account, params: z.output<typeof itemParams>): InvoiceItem {
  const { amount, currency, description = null, metadata } = params;
  const customer = loadCustomer(state, params.customer, 'customer').id;
  const invoice = loadInvoice(state, params.invoice, 'invoice');
  refuseUnlessDraft(invoice);
  if (invoice.customer !== customer) {
    throw invalidRequest('The invoice belongs to another customer.', { param: 'invoice' });
  }
  const item: InvoiceItem = {
    id: newId('ii'),
    object: 'invoiceitem',
    date: now(),
    customer,
    invoice: invoice.id,
    amount,
    currency,
    description,
    metadata,
  };
  state.invoice_items.push(item);
  invoice.total += amount;
  return item;
}

const itemListParams = z.strictObject({ ...pageParams, invoice: text });

function listItems({ state }: Account, { invoice, ...page }: z.output<typeof itemListParams>) {
  return pageOf('/v1/invoiceitems', itemsOf(state, loadInvoice(state, invoice, 'invoice')), page);
}

export function itemsOf(state: State, { id }: Invoice): InvoiceItem[] {
  return state.invoice_items.filter(({ invoice }) => invoice === id);
}

export const invoiceRoutes: readonly Route[] = [
  route('POST', '/v1/invoices', createParams, createInvoice),
  route('GET', '/v1/invoices', listParams, listInvoices),
  route('GET', '/v1/invoices/:id', nothing, ({ state }, _, id) => loadInvoice(state, id)),
  route('POST', '/v1/invoices/:id', updateParams, updateInvoice),
  route('POST', '/v1/invoices/:id/finalize', finalizeParams, finalize),
  route('POST', '/v1/invoiceitems', itemParams, createItem),
  route('GET', '/v1/invoiceitems', itemListParams, listItems),
];
