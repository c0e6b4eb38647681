import * as z from 'zod';
import type { Account } from './account.ts';
import { loadCustomer } from './customers.ts';
import { invalidRequest, resourceMissing } from './errors.ts';
import { finalizeInvoice, markPaid } from './invoice-collection.ts';
import { viewLines } from './invoice-lines.ts';
import { openInvoice } from './invoice-opening.ts';
import { viewInvoice } from './invoice-view.ts';
import { changeMetadata, metadataParam } from './metadata.ts';
import { isWithin, pageParams, rangeParam, viewPage } from './pagination.ts';
import { count, flag, text } from './params.ts';
import type { InvoiceRecord } from './records.ts';
import { type Route, route } from './route.ts';
import type { State } from './state.ts';
import { loadSubscription } from './subscription-lifecycle.ts';

const longestDraftSeconds = 5 * 366 * 86_400;

/** The invoice of this id. Throws when there is none; `param` is where the id was given. */
export function loadInvoice(state: State, id: string, param?: string): InvoiceRecord {
  const invoice = state.invoices.find((candidate) => candidate.id === id);
  if (invoice === undefined) {
    throw resourceMissing('invoice', id, param);
  }
  return invoice;
}

const createParams = z.strictObject({
  customer: text.optional(),
  subscription: text.optional(),
  auto_advance: flag.optional(),
  automatically_finalizes_at: count.optional(),
  collection_method: z.literal('charge_automatically').optional(),
  currency: z.literal('usd').optional(),
  description: text.optional(),
  metadata: metadataParam,
  pending_invoice_items_behavior: z.enum(['exclude', 'include']).optional(),
});

function createInvoice(account: Account, params: z.output<typeof createParams>) {
  const { state } = account;
  refuseUnlessFuture(account, params.automatically_finalizes_at);
  const subscription = params.subscription ? loadSubscription(state, params.subscription, 'subscription') : null;
  const customer = loadCustomer(state, params.customer ?? subscription?.customer ?? '', 'customer');
  if (subscription !== null && subscription.customer !== customer.id) {
    throw invalidRequest('The subscription belongs to another customer.', { param: 'subscription' });
  }
  const invoice = openInvoice(account, {
    auto_advance: params.auto_advance ?? params.automatically_finalizes_at !== undefined,
    billing_reason: 'manual',
    customer: customer.id,
    description: params.description ?? null,
    metadata: changeMetadata({}, params.metadata),
    period: { start: account.now(), end: account.now() },
    subscription: subscription?.id ?? null,
    finalizesAt: params.automatically_finalizes_at,
    lines: [],
    takesPendingItems: params.pending_invoice_items_behavior === 'include',
  });
  return viewInvoice(account, invoice);
}

const updateParams = z.strictObject({
  auto_advance: flag.optional(),
  automatically_finalizes_at: count.optional(),
  description: text.optional(),
  metadata: metadataParam,
});

function updateInvoice(account: Account, params: z.output<typeof updateParams>, id: string) {
  const invoice = loadInvoice(account.state, id);
  const { auto_advance, automatically_finalizes_at: finalizesAt, description } = params;
  if (finalizesAt !== undefined || description !== undefined) {
    refuseUnlessDraft(invoice);
  }
  refuseUnlessFuture(account, finalizesAt);
  invoice.metadata = changeMetadata(invoice.metadata, params.metadata);
  invoice.description = (description ?? invoice.description) || null;
  invoice.auto_advance = auto_advance ?? (finalizesAt !== undefined || invoice.auto_advance);
  if (invoice.status === 'draft') {
    const scheduled = finalizesAt ?? invoice.automatically_finalizes_at ?? account.now() + 3600;
    invoice.automatically_finalizes_at = invoice.auto_advance ? scheduled : null;
  }
  return viewInvoice(account, invoice);
}

const finalizeParams = z.strictObject({ auto_advance: flag.optional() });

function finalize(account: Account, params: z.output<typeof finalizeParams>, id: string) {
  const invoice = loadInvoice(account.state, id);
  refuseUnlessDraft(invoice);
  invoice.auto_advance = params.auto_advance ?? invoice.auto_advance;
  finalizeInvoice(account, invoice);
  return viewInvoice(account, invoice);
}

const payParams = z.strictObject({ paid_out_of_band: flag.optional() });

function pay(account: Account, _: object, id: string) {
  const invoice = loadInvoice(account.state, id);
  if (invoice.status === 'draft') {
    finalizeInvoice(account, invoice);
  } else if (invoice.status === 'paid') {
    throw invalidRequest('Invoice is already paid', { code: 'invoice_already_paid' });
  }
  if (invoice.status === 'open') {
    markPaid(account, invoice);
  }
  return viewInvoice(account, invoice);
}

/** Throws unless the invoice can still be changed. */
export function refuseUnlessDraft(invoice: InvoiceRecord): void {
  if (invoice.status !== 'draft') {
    throw invalidRequest('This invoice is no longer editable: it is not a draft any more.', {
      code: 'invoice_not_editable',
    });
  }
}

function refuseUnlessFuture(account: Account, finalizesAt: number | undefined): void {
  const ahead = (finalizesAt ?? Infinity) - account.now();
  if (finalizesAt !== undefined && (ahead <= 0 || ahead > longestDraftSeconds)) {
    throw invalidRequest('automatically_finalizes_at must be in the future and at most 5 years away.', {
      param: 'automatically_finalizes_at',
    });
  }
}

const listParams = z.strictObject({
  ...pageParams,
  created: rangeParam,
  customer: text.optional(),
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']).optional(),
  subscription: text.optional(),
});

function listInvoices(account: Account, params: z.output<typeof listParams>) {
  const invoices = account.state.invoices
    .filter((invoice) => isWithin(invoice.created, params.created))
    .filter((invoice) => (params.customer ?? invoice.customer) === invoice.customer)
    .filter((invoice) => (params.status ?? invoice.status) === invoice.status)
    .filter((invoice) => (params.subscription ?? invoice.subscription) === invoice.subscription)
    .map((invoice) => viewInvoice(account, invoice));
  return viewPage('/v1/invoices', invoices.reverse(), params);
}

const linesParams = z.strictObject(pageParams);

function listLines({ state }: Account, params: z.output<typeof linesParams>, id: string) {
  return viewPage(`/v1/invoices/${id}/lines`, viewLines(state, loadInvoice(state, id)), params);
}

export const invoiceRoutes: Route[] = [
  route('POST', '/v1/invoices', createParams, createInvoice),
  route('GET', '/v1/invoices', listParams, listInvoices),
  route('GET', '/v1/invoices/:id', z.strictObject({}), (account, _, id) =>
    viewInvoice(account, loadInvoice(account.state, id)),
  ),
  route('POST', '/v1/invoices/:id', updateParams, updateInvoice),
  route('GET', '/v1/invoices/:id/lines', linesParams, listLines),
  route('POST', '/v1/invoices/:id/finalize', finalizeParams, finalize),
  route('POST', '/v1/invoices/:id/pay', payParams, pay),
];
