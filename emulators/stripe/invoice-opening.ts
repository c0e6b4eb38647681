import type { Account } from './account.ts';
import { recordEvent } from './events.ts';
import { newId } from './ids.ts';
import { viewInvoice } from './invoice-view.ts';
import { multiplyDecimals } from './money.ts';
import { loadPrice } from './prices.ts';
import type { InvoiceRecord, Period, SubscriptionRecord } from './records.ts';

// A draft that Stripe advances by itself is left open for changes for an hour.
const draftSeconds = 3600;

/** What a new invoice is made of. */
export type NewInvoice = Pick<
  InvoiceRecord,
  'auto_advance' | 'billing_reason' | 'customer' | 'description' | 'metadata' | 'period' | 'subscription'
> & { finalizesAt: number | undefined; lines: InvoiceRecord['subscription_lines']; takesPendingItems: boolean };

/** Opens a draft invoice. */
export function openInvoice(account: Account, wanted: NewInvoice): InvoiceRecord {
  const { finalizesAt, lines, takesPendingItems, ...rest } = wanted;
  const created = account.now();
  const invoice: InvoiceRecord = {
    ...rest,
    id: newId('in'),
    created,
    status: 'draft',
    currency: 'usd',
    automatically_finalizes_at: finalizesAt ?? (wanted.auto_advance ? created + draftSeconds : null),
    number: null,
    finalized_at: null,
    paid_at: null,
    attempt_count: 0,
    subscription_lines: lines,
  };
  account.state.invoices.push(invoice);
  if (takesPendingItems) {
    takePendingItems(account, invoice);
  }
  recordEvent(account, 'invoice.created', viewInvoice(account, invoice));
  return invoice;
}

/** Opens the invoice of a period that has ended; its own lines pay for the one that begins. */
export function openCycleInvoice(account: Account, subscription: SubscriptionRecord, ended: Period): InvoiceRecord {
  const invoice = openInvoice(account, {
    auto_advance: true,
    billing_reason: 'subscription_cycle',
    customer: subscription.customer,
    description: null,
    metadata: {},
    period: ended,
    subscription: subscription.id,
    finalizesAt: undefined,
    lines: subscription.items.map((item) => subscriptionLine(account, item, subscription.current_period)),
    takesPendingItems: true,
  });
  subscription.latest_invoice = invoice.id;
  return invoice;
}

function subscriptionLine(account: Account, item: SubscriptionRecord['items'][number], period: Period) {
  const price = loadPrice(account, item.price);
  const name = price.nickname ?? 'Subscription';
  return {
    id: newId('il'),
    subscription_item: item.id,
    price: price.id,
    product: price.product,
    unit_amount_decimal: price.unit_amount_decimal,
    quantity: item.quantity,
    amount: multiplyDecimals(price.unit_amount_decimal, String(item.quantity)),
    description: `${item.quantity} × ${name}`,
    period,
  };
}

function takePendingItems(account: Account, invoice: InvoiceRecord): void {
  for (const item of account.state.invoice_items) {
    const waits = item.invoice === null && item.customer === invoice.customer;
    if (waits && (item.subscription ?? invoice.subscription) === invoice.subscription) {
      item.invoice = invoice.id;
      item.was_pending = true;
    }
  }
}
