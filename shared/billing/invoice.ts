import type Stripe from 'stripe';
import { makeInstant } from '../base/clock.ts';
import { type Month, monthName, monthOf, nextMonthStart } from '../base/month.ts';
import type { Payments } from './payments.ts';
import { statementId, type Totals } from './statement.ts';

type Part = Totals['parts'][number];

/** How far Stripe's clock may differ from ours, in seconds. Used to search invoices by their creation time. */
const CLOCK_SKEW_S = 86_400;

/** Adds a closed month's costs to Stripe's draft or to a new invoice. Idempotent: finds earlier items by metadata. */
export async function invoiceStatement(payments: Payments, customer: string, statement: Totals): Promise<void> {
  const mark = statementId(statement.tenant_id, statement.period);
  const invoices = await listInvoices(payments, customer, statement.period);
  const marked = invoices.filter(({ metadata }) => metadata?.statement === mark);
  const items = (await Promise.all(marked.map((invoice) => listItems(payments, invoice, mark)))).flat();
  const billed = items.map(({ metadata }) => metadata?.tier);
  const missing = statement.parts.filter(({ tier }) => !billed.includes(tier));
  if (missing.length > 0) {
    const draft = marked.find(isDraft) ?? (await claimDraft(payments, invoices, statement.period, mark));
    // Another run or Stripe has finalized the draft: check again which items are missing.
    if (draft !== undefined && !isDraft(draft)) return invoiceStatement(payments, customer, statement);
    const target = draft ?? (await openInvoice(payments, customer, statement.period, mark));
    for (const part of missing) await addPart(payments, customer, target, statement.period, part, mark);
    await finalize(payments, customer, target);
  }
  for (const draft of marked.filter(isDraft)) await finalize(payments, customer, draft);
}

/** Returns the customer's invoices since the month's end. Begins a day earlier, because clocks may differ. */
export function listInvoices(payments: Payments, customer: string, month: Month): Promise<Stripe.Invoice[]> {
  const created = { gte: Math.floor(nextMonthStart(month) / 1_000_000) - CLOCK_SKEW_S };
  return payments.call((stripe) =>
    stripe.invoices.list({ customer, created, limit: 100 }).autoPagingToArray({ limit: 10_000 }),
  );
}

/** Returns the items that bill the statement with the id `mark`. */
export async function listItems(
  payments: Payments,
  invoice: Stripe.Invoice,
  mark: string,
): Promise<Stripe.InvoiceItem[]> {
  const items = await payments.call((stripe) =>
    stripe.invoiceItems.list({ invoice: invoice.id, limit: 100 }).autoPagingToArray({ limit: 250 }),
  );
  return items.filter(({ metadata }) => metadata?.statement === mark);
}

/**
 * Takes over Stripe's draft for the month, if there is one, so that Stripe does not finalize it. If Stripe was faster,
 * the returned invoice is final.
 */
async function claimDraft(
  payments: Payments,
  invoices: readonly Stripe.Invoice[],
  month: Month,
  mark: string,
): Promise<Stripe.Invoice | undefined> {
  const draft = invoices.find(
    (invoice) =>
      isDraft(invoice) &&
      invoice.billing_reason === 'subscription_cycle' &&
      monthOf(makeInstant(invoice.period_start * 1_000_000)) === month,
  );
  if (draft === undefined) return undefined;
  return payments.call((stripe) =>
    stripe.invoices.update(draft.id, { auto_advance: false, metadata: { statement: mark } }),
  );
}

function openInvoice(payments: Payments, customer: string, month: Month, mark: string): Promise<Stripe.Invoice> {
  return payments.call((stripe) =>
    stripe.invoices.create(
      {
        customer,
        auto_advance: false,
        pending_invoice_items_behavior: 'exclude',
        description: `Encryption service, ${monthName(month)}`,
        metadata: { statement: mark, period: month },
      },
      { idempotencyKey: `invoice:${mark}` },
    ),
  );
}

async function addPart(
  payments: Payments,
  customer: string,
  invoice: Stripe.Invoice,
  month: Month,
  { tier, cents }: Part,
  mark: string,
): Promise<void> {
  await payments.call((stripe) =>
    stripe.invoiceItems.create(
      {
        customer,
        invoice: invoice.id,
        amount: cents,
        currency: 'usd',
        description: `Keys of tier ${tier}, ${monthName(month)}`,
        metadata: { statement: mark, tier, period: month },
      },
      // The idempotency key omits the invoice's id, so if two runs use different invoices, the second run fails.
      { idempotencyKey: `item:${mark}:${tier}` },
    ),
  );
}

async function finalize(payments: Payments, customer: string, { id, billing_reason }: Stripe.Invoice): Promise<void> {
  const isStillDraft = async () => isDraft(await payments.call((stripe) => stripe.invoices.retrieve(id)));
  if (!(await isStillDraft())) return;
  if (billing_reason === 'manual') await payments.setPaymentMethod(customer, id);
  try {
    await payments.call((stripe) => stripe.invoices.finalizeInvoice(id, { auto_advance: true }));
  } catch (error) {
    if (await isStillDraft()) throw error;
  }
}

function isDraft({ status }: Stripe.Invoice): boolean {
  return status === 'draft';
}
