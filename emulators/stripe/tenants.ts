import type { Account } from './account.ts';
import { createCustomer } from './customers.ts';
import { itemsOf } from './invoices.ts';
import type { Invoice, State, SubscriptionStatus } from './objects.ts';
import { changeStatus, isAtPrice, isOpen, startSubscription } from './subscriptions.ts';

/** An invoice. Amounts are in cents. */
export interface InvoiceSummary {
  readonly id: string;
  /** The billed UTC month, as `YYYY-MM`. */
  readonly period: string;
  readonly status: Invoice['status'];
  readonly lines: readonly { readonly amount: number; readonly description: string | null }[];
  readonly total: number;
}

/**
 * Gives the tenant's subscription a status. Creates a customer and a subscription if needed. `none` cancels and removes
 * the tenant's subscriptions.
 */
export function setTenantSubscription(
  account: Account,
  price: string,
  tenantId: string,
  wanted: SubscriptionStatus | 'none',
): void {
  const { state } = account;
  const [customer] = customersOf(state, tenantId);
  const known = state.subscriptions.filter((one) => one.customer === customer?.id && isAtPrice(one, price));
  if (wanted === 'none') {
    for (const subscription of known) changeStatus(account, subscription, 'canceled');
    state.subscriptions = state.subscriptions.filter((one) => !known.includes(one));
    return;
  }
  const latest = known.findLast(isOpen) ?? known.at(-1);
  if (latest !== undefined && (isOpen(latest) || latest.status === wanted)) {
    changeStatus(account, latest, wanted);
    return;
  }
  const metadata = { tenant_id: tenantId };
  const holder = customer ?? createCustomer(account, metadata);
  const status = wanted === 'canceled' ? 'active' : wanted;
  const started = startSubscription(account, { customer: holder.id, prices: [price], metadata, status });
  if (wanted === 'canceled') changeStatus(account, started, wanted);
}

export function invoicesOf(state: State, tenantId: string): InvoiceSummary[] {
  const customers = customersOf(state, tenantId).map(({ id }) => id);
  return state.invoices
    .filter(({ customer }) => customers.includes(customer))
    .map((invoice) => ({
      id: invoice.id,
      // The service stores the month in the metadata of the invoices that it creates. For an invoice of Stripe's
      // billing cycle, the month is that of its period.
      period: invoice.metadata.period ?? new Date(invoice.period_start * 1000).toISOString().slice(0, 7),
      status: invoice.status,
      lines: itemsOf(state, invoice).map(({ amount, description }) => ({ amount, description })),
      total: invoice.total,
    }));
}

/** Returns the customers whose metadata names the tenant, oldest first. Only the first of them gets subscriptions. */
function customersOf(state: State, tenantId: string) {
  return state.customers.filter(({ metadata }) => metadata.tenant_id === tenantId);
}
