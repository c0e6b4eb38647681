import type { Account } from './account.ts';
import { loadCustomer } from './customers.ts';
import { recordEvent } from './events.ts';
import { totalOf } from './invoice-lines.ts';
import { viewInvoice } from './invoice-view.ts';
import type { InvoiceRecord } from './records.ts';

/** Closes a draft: nothing can be added any more, and what it asks for is collected unless that is left to a person. */
export function finalizeInvoice(account: Account, invoice: InvoiceRecord): void {
  const customer = loadCustomer(account.state, invoice.customer);
  invoice.status = 'open';
  invoice.number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`;
  customer.next_invoice_sequence += 1;
  invoice.automatically_finalizes_at = null;
  invoice.finalized_at = account.now();
  recordEvent(account, 'invoice.finalized', viewInvoice(account, invoice));
  if (totalOf(account.state, invoice) <= 0) {
    markPaid(account, invoice);
  } else if (invoice.auto_advance) {
    collect(account, invoice);
  }
}

/** Records that an open invoice has been paid. */
export function markPaid(account: Account, invoice: InvoiceRecord): void {
  invoice.status = 'paid';
  invoice.paid_at = account.now();
  recordEvent(account, 'invoice.paid', viewInvoice(account, invoice));
}

function collect(account: Account, invoice: InvoiceRecord): void {
  invoice.attempt_count += 1;
  if (paysPromptly(account, invoice)) {
    markPaid(account, invoice);
  } else {
    recordEvent(account, 'invoice.payment_failed', viewInvoice(account, invoice));
  }
}

// There are no cards here: a customer's card is good as long as the subscription is active.
function paysPromptly({ state }: Account, { customer, subscription }: InvoiceRecord): boolean {
  return state.subscriptions
    .filter((candidate) => (subscription === null ? candidate.customer === customer : candidate.id === subscription))
    .some((candidate) => candidate.status === 'active');
}
