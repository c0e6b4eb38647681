import type { Account } from './account.ts';
import { loadCustomer } from './customers.ts';
import { totalOf, viewLines } from './invoice-lines.ts';
import { viewList } from './pagination.ts';
import type { InvoiceRecord } from './records.ts';
import { loadSubscription } from './subscription-lifecycle.ts';

// An invoice shows its first lines; the rest are read from the list's own address.
const linesShown = 10;

/** The invoice object. */
export function viewInvoice({ state }: Account, invoice: InvoiceRecord) {
  const { period, finalized_at, paid_at, subscription, subscription_lines, ...rest } = invoice;
  const customer = loadCustomer(state, invoice.customer);
  const lines = viewLines(state, invoice);
  const total = totalOf(state, invoice);
  const due = Math.max(0, total);
  const paid = invoice.status === 'paid' ? due : 0;
  return {
    ...rest,
    object: 'invoice' as const,
    account_country: 'US',
    account_name: null,
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: paid,
    amount_remaining: due - paid,
    amount_shipping: 0,
    application: null,
    attempted: invoice.attempt_count > 0,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    collection_method: 'charge_automatically',
    custom_fields: null,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    discounts: [],
    due_date: null,
    effective_at: finalized_at,
    ending_balance: finalized_at === null ? null : 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: viewList(`/v1/invoices/${invoice.id}/lines`, lines.slice(0, linesShown), lines.length > linesShown),
    livemode: false,
    next_payment_attempt: null,
    on_behalf_of: null,
    parent: subscription === null ? null : viewParent(subscription, loadSubscription(state, subscription).metadata),
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status_transitions: { finalized_at, marked_uncollectible_at: null, paid_at, voided_at: null },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: invoice.created,
  };
}

function viewParent(subscription: string, metadata: Record<string, string>) {
  return {
    quote_details: null,
    subscription_details: { metadata, subscription },
    type: 'subscription_details',
  };
}
