import type { TenantId } from '../../shared/base/ids.ts';
import type { Month } from '../../shared/base/month.ts';
import { type CustomerAtStripe, listCustomers, readInvoicedMonths } from '../../shared/billing/invoiced.ts';
import { isOpenStatus } from '../../shared/billing/payments.ts';
import { TENANTS, TENANTS_OF_ALL, type Tenant } from '../../shared/tenancy/tenant.ts';
import { checkEach, type Finding, Part } from './part.ts';
import type { CheckServices } from './services.ts';

const ADOPT = 'Run this program with --adopt';

type Subscription = { readonly id: string; readonly status: string } | null;

/** A finding. If storing what Stripe has corrects it, also a function that does so. */
interface Difference {
  readonly finding: Finding;
  readonly adopt?: () => Promise<void>;
}

/** Checks that each tenant's stored customer and subscription match those at Stripe. `adopt` stores what Stripe has. */
export async function checkSubscriptions(services: CheckServices, since: Month, adopt: boolean) {
  const part = new Part('Subscriptions against Stripe', { 'tenants with a customer': 0, 'customers at Stripe': 0 });
  const add = async (difference: Difference | undefined) => {
    if (difference === undefined) return;
    const isAdopted = adopt && difference.adopt !== undefined;
    if (isAdopted) await difference.adopt?.();
    (isAdopted ? part.adopted : part.findings).push(difference.finding);
  };
  await checkEach(services.store.pages(TENANTS_OF_ALL, { equal: [] }), async ({ id, billing }) => {
    if (billing === null) return;
    part.count('tenants with a customer');
    await add(await checkStored(services, id, billing.customer_id));
  });
  await checkEach(listCustomers(services.payments), async (customer) => {
    part.count('customers at Stripe');
    await add(await checkCustomer(services, customer, since));
  });
  return part;
}

/** Returns the difference if Stripe does not have the tenant's stored customer with the stored subscription. */
async function checkStored(
  { store, payments, subscriptions }: CheckServices,
  tenantId: TenantId,
  customer: string,
): Promise<Difference | undefined> {
  const about = { tenant_id: tenantId, customer };
  if (!(await payments.belongsTo(customer, tenantId))) {
    const text = `tenant ${tenantId}: Stripe has no customer ${customer} for this tenant`;
    return { finding: { kind: 'customer-differs', about, text } };
  }
  const found = (await payments.findSubscription(customer)) ?? null;
  // Read the store after Stripe, because a webhook may have changed the subscription meanwhile.
  const subscription = (await store.find(TENANTS, tenantId))?.billing?.subscription ?? null;
  if (found?.id === subscription?.id && found?.status === subscription?.status) return undefined;
  const [stored, at_stripe] = [view(subscription), view(found)];
  const text = `tenant ${tenantId}: the stored subscription is ${stored}, at Stripe it is ${at_stripe}`;
  return {
    finding: { kind: 'subscription-differs', about: { ...about, stored, at_stripe }, text, remedy: ADOPT },
    adopt: () => subscriptions.refresh(tenantId),
  };
}

/**
 * Returns a finding if a customer at Stripe has an open subscription or invoices, but the stored tenant has another
 * customer or none.
 */
async function checkCustomer(
  { store, payments, subscriptions }: CheckServices,
  { id: customer, tenantId }: CustomerAtStripe,
  since: Month,
): Promise<Difference | undefined> {
  const tenant = await store.find(TENANTS, tenantId);
  if (tenant?.billing?.customer_id === customer) return undefined;
  const subscription = (await payments.findSubscription(customer)) ?? null;
  const invoiced = await readInvoicedMonths(payments, tenantId, customer, since);
  const isOpen = subscription !== null && isOpenStatus(subscription.status);
  if (!isOpen && invoiced.length === 0) return undefined;
  const at_stripe = view(subscription);
  const months = [...new Set(invoiced.map(({ month }) => month))].join(', ');
  const text =
    `tenant ${tenantId}: Stripe's customer ${customer} has subscription ${at_stripe} and ` +
    `${months ? `invoices for ${months}` : 'no invoices'}, but ${explain(tenant)}`;
  const finding: Finding = {
    kind: 'customer-differs',
    about: { tenant_id: tenantId, customer, at_stripe, months },
    text,
  };
  return tenant?.billing === null
    ? { finding: { ...finding, remedy: ADOPT }, adopt: () => subscriptions.apply(tenantId, customer) }
    : { finding };
}

function explain(tenant: Tenant | undefined): string {
  if (tenant === undefined) return 'the store does not have the tenant';
  if (tenant.billing === null) return 'the stored tenant has no customer';
  return `the stored customer of the tenant is ${tenant.billing.customer_id}`;
}

function view(subscription: Subscription): string {
  return subscription === null ? 'none' : `${subscription.id} (${subscription.status})`;
}
