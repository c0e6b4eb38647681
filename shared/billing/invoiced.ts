import type Stripe from 'stripe';
import { parseId, type TenantId } from '../base/ids.ts';
import { type Month, parseMonth } from '../base/month.ts';
import { listInvoices, listItems } from './invoice.ts';
import type { Payments } from './payments.ts';
import { statementId } from './statement.ts';

export interface InvoicedMonth {
  readonly invoiceId: string;
  readonly month: Month;
  /** Stripe's status, for example `draft`, `paid` or `void`. */
  readonly status: string;
  /** The invoice's items for this month. */
  readonly parts: readonly { readonly tier: string; readonly cents: number }[];
}

/** Reads what Stripe has billed the customer for each month from `since` on. */
export async function readInvoicedMonths(
  payments: Payments,
  tenantId: TenantId,
  customer: string,
  since: Month,
): Promise<InvoicedMonth[]> {
  const invoiced: InvoicedMonth[] = [];
  for (const invoice of await listInvoices(payments, customer, since)) {
    const mark = invoice.metadata?.statement ?? '';
    const month = parseMonth(mark.slice(tenantId.length + 1));
    if (month === undefined || month < since || mark !== statementId(tenantId, month)) continue;
    const items = await listItems(payments, invoice, mark);
    const parts = items.map(({ metadata, amount }) => ({ tier: metadata?.tier ?? '', cents: amount }));
    invoiced.push({ invoiceId: invoice.id, month, status: invoice.status ?? 'unknown', parts });
  }
  return invoiced;
}

export interface CustomerAtStripe {
  readonly id: string;
  readonly tenantId: TenantId;
}

/** Yields pages of those Stripe customers that belong to a tenant. */
export async function* listCustomers(payments: Payments): AsyncGenerator<CustomerAtStripe[]> {
  for (let last: string | undefined; ; ) {
    const from = last === undefined ? {} : { starting_after: last };
    const page: Stripe.ApiList<Stripe.Customer> = await payments.call((stripe) =>
      stripe.customers.list({ limit: 100, ...from }),
    );
    yield page.data.flatMap(({ id, metadata }) => {
      const tenantId = parseId<TenantId>(metadata.tenant_id ?? '');
      return tenantId === undefined ? [] : { id, tenantId };
    });
    last = page.data.at(-1)?.id;
    if (!page.has_more || last === undefined) return;
  }
}
