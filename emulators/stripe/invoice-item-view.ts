import type { InvoiceItemRecord } from './records.ts';

/** The invoice item object. */
export function viewInvoiceItem(item: InvoiceItemRecord) {
  const { line_id, was_pending, unit_amount_decimal, subscription, ...rest } = item;
  return {
    ...rest,
    object: 'invoiceitem' as const,
    customer_account: null,
    discounts: [],
    livemode: false,
    parent:
      subscription === null ? null : { subscription_details: { subscription }, type: 'subscription_details' as const },
    pricing: { type: 'price_details' as const, unit_amount_decimal },
    proration: false,
    quantity: Math.trunc(Number(item.quantity_decimal)),
    tax_rates: [],
    test_clock: null,
  };
}
