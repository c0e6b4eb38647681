import { addMonths, monthOf } from './calendar.ts';
import { itemsOf, totalOf, viewLines } from './invoice-lines.ts';
import type { InvoiceRecord } from './records.ts';
import type { State } from './state.ts';

/** An invoice as a person reads it; amounts in cents. */
export type InvoiceSummary = {
  id: string;
  /** The UTC month that the lines pay for, `YYYY-MM`. */
  period: string;
  status: InvoiceRecord['status'];
  lines: { amount: number; description: string | null }[];
  total: number;
};

/** Sums up an invoice. The subscription's own line is left out while its price is $0: it charges nothing. */
export function summarizeInvoice(state: State, invoice: InvoiceRecord): InvoiceSummary {
  const lines = viewLines(state, invoice).filter(
    ({ amount, parent }) => amount !== 0 || parent.subscription_item_details === null,
  );
  return {
    id: invoice.id,
    period: billedMonth(state, invoice),
    status: invoice.status,
    lines: lines.map(({ amount, description }) => ({ amount, description })),
    total: totalOf(state, invoice),
  };
}

// Whoever made the invoice may have named the month. Otherwise a cycle's invoice looks back on the cycle that ended,
// and one made by hand on the month before it was made.
function billedMonth(state: State, invoice: InvoiceRecord): string {
  const named = [invoice, ...itemsOf(state, invoice)].find(({ metadata }) => metadata.period !== undefined);
  const { billing_reason, period } = invoice;
  return (
    named?.metadata.period ??
    monthOf(billing_reason === 'subscription_cycle' ? period.start : addMonths(period.start, -1))
  );
}
