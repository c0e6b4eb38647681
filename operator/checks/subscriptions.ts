import type { Month } from '../../shared/base/month.ts';
import { listCustomers, readInvoicedMonths } from '../../shared/billing/invoiced.ts';
import { isOpenStatus } from '../../shared/billing/payments.ts';
import { TENANTS, TENANTS_OF_ALL, type Tenant } from '../../shared/tenancy/tenant.ts';
import { checkEach } from './check-each.ts';
import { type Finding, Part } from './part.ts';
import type { CheckServices } from './services.ts';

type Subscription = { readonly id: string; readonly status: string } | null;

/** Checks each tenant's stored customer and subscription against Stripe's. `adopt` stores what Stripe has. */
export async function checkSubscriptions(services: CheckServices, since: Month, adopt: boolean) {
  const part = new Part('Subscriptions against Stripe', { 'tenants with a customer': 0, 'customers at Stripe': 0 });
  const { store, payments } = services;
  const settle = async (finding: Finding, correct: (() => Promise<void>) | undefined) => {
    if (adopt) await correct?.();
    (adopt && correct !== undefined ? part.adopted : part.findings).push(finding);
  };
  await checkEach(store.pages(TENANTS_OF_ALL, { equal: [] }), async ({ id, billing }) => {
    if (billing === null) return;
    part.count('tenants with a customer');
    if (!(await payments.standsFor(billing.customer_id, id))) {
      const text = `tenant ${id}: Stripe has no customer ${billing.customer_id} for this tenant`;
      part.findings.push({ kind: 'customer-differs', about: { tenant_id: id, customer: billing.customer_id }, text });
      return;
    }
    const found = (await payments.findSubscription(billing.customer_id)) ?? null;
    if (isSame(found, billing.subscription)) return;
    const [stored, atStripe] = [view(billing.subscription), view(found)];
    const text = `tenant ${id}: the stored subscription is ${stored}, at Stripe it is ${atStripe}. --adopt stores what Stripe has`;
    const about = { tenant_id: id, customer: billing.customer_id, stored, at_stripe: atStripe };
    await settle({ kind: 'subscription-differs', about, text }, () => services.subscriptions.refresh(id));
  });
  await checkEach(listCustomers(payments), async ({ id: customer, tenantId }) => {
    part.count('customers at Stripe');
    const tenant = await store.find(TENANTS, tenantId);
    if (tenant?.billing?.customer_id === customer) return;
    const subscription = (await payments.findSubscription(customer)) ?? null;
    const invoiced = await readInvoicedMonths(payments, tenantId, customer, since);
    // Someone who has started a checkout, and no more.
    if ((subscription === null || !isOpenStatus(subscription.status)) && invoiced.length === 0) return;
    const months = [...new Set(invoiced.map(({ month }) => month))].join(', ');
    const text =
      `tenant ${tenantId}: Stripe's customer ${customer}, with subscription ${view(subscription)} and invoices for ` +
      `${months || 'no month'}, is not the stored one: ${explain(tenant)}`;
    const about = { tenant_id: tenantId, customer, at_stripe: view(subscription), months };
    const correct = tenant?.billing === null ? () => services.subscriptions.apply(tenantId, customer) : undefined;
    await settle({ kind: 'customer-differs', about, text }, correct);
  });
  return part;
}

function explain(tenant: Tenant | undefined): string {
  if (tenant === undefined) return 'the store has no such tenant. Cancel the subscription, or restore the tenant';
  if (tenant.billing === null) return 'the tenant has none. --adopt stores what Stripe has';
  return `the tenant has ${tenant.billing.customer_id}. Cancel one of the two at Stripe`;
}

function isSame(one: Subscription, other: Subscription): boolean {
  return one?.id === other?.id && one?.status === other?.status;
}

function view(subscription: Subscription): string {
  return subscription === null ? 'none' : `${subscription.id} (${subscription.status})`;
}
