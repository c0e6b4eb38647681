import type { InvoiceItemRecord, InvoiceRecord } from './records.ts';
import type { State } from './state.ts';

type SubscriptionLine = InvoiceRecord['subscription_lines'][number];

/** An invoice's items, those that waited for it first. */
export function itemsOf(state: State, invoice: InvoiceRecord): InvoiceItemRecord[] {
  const items = state.invoice_items.filter((item) => item.invoice === invoice.id);
  return [...items.filter((item) => item.was_pending).reverse(), ...items.filter((item) => !item.was_pending)];
}

/** What an invoice's lines add up to, in cents. */
export function totalOf(state: State, invoice: InvoiceRecord): number {
  const lines = [...itemsOf(state, invoice), ...invoice.subscription_lines];
  return lines.reduce((sum, line) => sum + line.amount, 0);
}

/** An invoice's line items in Stripe's order: items that waited for it, the subscription's own, items added later. */
export function viewLines(state: State, invoice: InvoiceRecord) {
  const items = itemsOf(state, invoice);
  return [
    ...items.filter((item) => item.was_pending).map((item) => viewItemLine(invoice, item)),
    ...invoice.subscription_lines.map((line) => viewSubscriptionLine(invoice, line)),
    ...items.filter((item) => !item.was_pending).map((item) => viewItemLine(invoice, item)),
  ];
}

const base = {
  object: 'line_item' as const,
  discount_amounts: [],
  discounts: [],
  livemode: false,
  pretax_credit_amounts: [],
  taxes: [],
};

function viewItemLine(invoice: InvoiceRecord, item: InvoiceItemRecord) {
  return {
    ...base,
    id: item.line_id,
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discountable: item.discountable,
    invoice: invoice.id,
    metadata: item.metadata,
    parent: {
      invoice_item_details: {
        invoice_item: item.id,
        proration: false,
        proration_details: null,
        subscription: item.subscription,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    },
    period: item.period,
    pricing: { type: 'price_details' as const, unit_amount_decimal: item.unit_amount_decimal },
    quantity: Math.trunc(Number(item.quantity_decimal)),
    quantity_decimal: item.quantity_decimal,
    subscription: item.subscription,
    subtotal: item.amount,
  };
}

function viewSubscriptionLine(invoice: InvoiceRecord, line: SubscriptionLine) {
  return {
    ...base,
    id: line.id,
    amount: line.amount,
    currency: invoice.currency,
    description: line.description,
    discountable: true,
    invoice: invoice.id,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: null,
        subscription: invoice.subscription,
        subscription_item: line.subscription_item,
      },
      type: 'subscription_item_details',
    },
    period: line.period,
    pricing: {
      price_details: { price: line.price, product: line.product },
      type: 'price_details' as const,
      unit_amount_decimal: line.unit_amount_decimal,
    },
    quantity: line.quantity,
    quantity_decimal: String(line.quantity),
    subscription: invoice.subscription,
    subtotal: line.amount,
  };
}
