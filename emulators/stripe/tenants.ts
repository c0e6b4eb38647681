import type { CustomerRecord, InvoiceRecord, SubscriptionRecord } from './records.ts';
import type { State } from './state.ts';

/** The customers of a tenant: those whose metadata names it, and those who hold a subscription whose metadata does. */
export function customersOf(state: State, tenantId: string): CustomerRecord[] {
  const holders = new Set(
    state.subscriptions.filter(({ metadata }) => metadata.tenant_id === tenantId).map(({ customer }) => customer),
  );
  return state.customers.filter(({ id, metadata }) => metadata.tenant_id === tenantId || holders.has(id));
}

/** A tenant's subscriptions, oldest first. */
export function subscriptionsOf(state: State, tenantId: string): SubscriptionRecord[] {
  const customers = new Set(customersOf(state, tenantId).map(({ id }) => id));
  return state.subscriptions.filter(({ customer }) => customers.has(customer));
}

/** A tenant's invoices, oldest first. */
export function invoicesOf(state: State, tenantId: string): InvoiceRecord[] {
  const customers = new Set(customersOf(state, tenantId).map(({ id }) => id));
  return state.invoices.filter(({ customer }) => customers.has(customer));
}
