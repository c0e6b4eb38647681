import type { CustomerRecord, InvoiceRecord, SubscriptionRecord } from './records.ts';
import type { State } from './state.ts';

/** The customer that stands for a tenant: the first one whose metadata names it. */
export function customerOf(state: State, tenantId: string): CustomerRecord | undefined {
  return state.customers.find(({ metadata }) => metadata.tenant_id === tenantId);
}

/** The customers of a tenant: those whose metadata names it, and those who hold a subscription whose metadata does. */
export function customersOf(state: State, tenantId: string): CustomerRecord[] {
  const holders = new Set(
    state.subscriptions.filter(({ metadata }) => metadata.tenant_id === tenantId).map(({ customer }) => customer),
  );
  return state.customers.filter(({ id, metadata }) => metadata.tenant_id === tenantId || holders.has(id));
}

/** The subscriptions at a price of the customer that stands for a tenant, oldest first. */
export function subscriptionsOf(state: State, tenantId: string, priceId: string): SubscriptionRecord[] {
  const own = customerOf(state, tenantId);
  return state.subscriptions.filter(
    ({ customer, items }) => customer === own?.id && items.some(({ price }) => price === priceId),
  );
}

/** A tenant's invoices, oldest first. */
export function invoicesOf(state: State, tenantId: string): InvoiceRecord[] {
  const customers = new Set(customersOf(state, tenantId).map(({ id }) => id));
  return state.invoices.filter(({ customer }) => customers.has(customer));
}
