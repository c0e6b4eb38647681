import { beforeEach, expect, test } from 'vitest';
import { amountsOf, closeMonth, invoicesOf, setSubscription, stripeOf } from '../../support/billing.ts';
import { ownStack } from '../../support/own-stack.ts';
import { mendStack, setClock } from '../../support/steer.ts';
import { withStore } from '../../support/stored.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { alter, backUp, type Checking, findingsAbout, openChecking } from './checking.ts';

const stack = ownStack();
const NOVEMBER = '2026-11-01T00:20:00Z';

let checking: Checking;
beforeEach(() => {
  checking = openChecking(stack);
});

/**
 * Makes a tenant with two paid keys in October. `restore` reverts the tenant's documents to their state before October
 * was closed.
 */
async function makePayer(): Promise<{ tenant: Tenant; path: string; statement: string; restore: () => Promise<void> }> {
  await setClock(stack, '2026-10-01T12:00:00Z');
  const tenant = await makeTenant(stack);
  for (const tier of ['wrapped', 'hsm'] as const) await tenant.createKey(tier);
  const [path, statement] = [`tenants/${tenant.id}`, `statements/${tenant.id}_2026-10`];
  const restore = await backUp(stack, path, statement);
  await setClock(stack, NOVEMBER);
  checking.setClock(NOVEMBER);
  return { tenant, path, statement, restore };
}

async function findingsOf(tenant: Tenant) {
  return findingsAbout(await checking.run(), tenant);
}

test('check-store reports neither an open nor a closed month if the store and Stripe agree', async () => {
  const { tenant } = await makePayer();
  expect(await findingsOf(tenant)).toEqual([]);
  await closeMonth(stack);
  expect(await findingsOf(tenant)).toEqual([]);
});

test('check-store reports a month that is invoiced at Stripe but open in the store, and close-month does not invoice it again', async () => {
  const { tenant, restore } = await makePayer();
  await closeMonth(stack);
  await restore();
  const charged = 'hsm 3500, wrapped 300';
  expect(await findingsOf(tenant)).toMatchObject([{ kind: 'month-open', about: { month: '2026-10', charged } }]);
  // Three days later, Stripe has forgotten the idempotency keys that would prevent a second invoice.
  await setClock(stack, '2026-11-04T00:20:00Z');
  checking.setClock('2026-11-04T00:20:00Z');
  await closeMonth(stack);
  expect((await invoicesOf(stack, tenant.id)).map(amountsOf)).toEqual([
    { byTier: { wrapped: 300, hsm: 3500 }, total: 3800 },
  ]);
  expect(await findingsOf(tenant)).toEqual([]);
});

test('check-store reports a closed month that is not invoiced', async () => {
  const { tenant, statement } = await makePayer();
  const other = await makeTenant(stack);
  await closeMonth(stack);
  const month = await withStore(stack, async (store) => (await store.doc(statement).get()).data());
  await withStore(stack, (store) => store.doc(`statements/${other.id}_2026-10`).set({ ...month, tenant_id: other.id }));
  await alter(stack, `tenants/${other.id}`, { next_close_at: new Date('2026-12-01T00:00:00Z') });
  expect(await findingsOf(other)).toMatchObject([
    { kind: 'month-not-invoiced', about: { month: '2026-10', owed: 'hsm 3500, wrapped 300' } },
  ]);
  expect(await findingsOf(tenant)).toEqual([]);
});

test('check-store reports a month whose statement and invoice differ', async () => {
  const { tenant, statement } = await makePayer();
  await closeMonth(stack);
  await alter(stack, statement, { parts: [{ tier: 'hsm', cents: 3500 }] });
  expect(await findingsOf(tenant)).toMatchObject([
    { kind: 'invoice-differs', about: { owed: 'hsm 3500', charged: 'hsm 3500, wrapped 300' } },
  ]);
});

test('check-store reports a month that is invoiced twice', async () => {
  const { tenant } = await makePayer();
  await closeMonth(stack);
  const stripe = stripeOf(stack);
  const [first] = await invoicesOf(stack, tenant.id);
  const { customer, metadata } = await stripe.invoices.retrieve(first?.id ?? '');
  if (typeof customer !== 'string' || metadata === null) throw new Error('the invoice has no customer');
  const invoice = await stripe.invoices.create({
    customer,
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    metadata,
  });
  const again = { ...metadata, tier: 'hsm' };
  await stripe.invoiceItems.create({ customer, invoice: invoice.id, amount: 3500, currency: 'usd', metadata: again });
  expect(await findingsOf(tenant)).toMatchObject([{ kind: 'month-invoiced-twice', about: { month: '2026-10' } }]);
});

test('check-store reports a subscription whose status differs at Stripe, and --adopt stores the status from Stripe', async () => {
  const tenant = await makeTenant(stack);
  const restore = await backUp(stack, `tenants/${tenant.id}`);
  await setSubscription(stack, tenant.id, 'unpaid');
  await restore();
  expect(await findingsOf(tenant)).toMatchObject([
    {
      kind: 'subscription-differs',
      about: { stored: expect.stringContaining('(active)'), at_stripe: expect.stringContaining('(unpaid)') },
    },
  ]);
  expect(await checking.kindsOf(tenant, { adopt: true })).toEqual(['adopted subscription-differs']);
  expect(await checking.kindsOf(tenant)).toEqual([]);
});

test('check-store reports a subscription whose customer is missing in the store, and --adopt stores the customer', async () => {
  const tenant = await makeTenant(stack, 'none');
  const restore = await backUp(stack, `tenants/${tenant.id}`);
  await setSubscription(stack, tenant.id, 'active');
  await restore();
  expect(await findingsOf(tenant)).toMatchObject([{ kind: 'customer-differs' }]);
  expect(await checking.kindsOf(tenant, { adopt: true })).toEqual(['adopted customer-differs']);
  expect(await checking.kindsOf(tenant)).toEqual([]);
  await tenant.createKey('wrapped');
});

test('check-store reports a subscription whose customer at Stripe differs from the stored customer', async () => {
  const tenant = await makeTenant(stack);
  await alter(stack, `tenants/${tenant.id}`, { 'billing.customer_id': 'cus_other' });
  expect(await checking.kindsOf(tenant)).toEqual(['customer-differs', 'customer-differs']);
  await mendStack(stack);
});

test('check-store reports a subscription of a tenant that is missing in the store', async () => {
  const tenant = await makeTenant(stack);
  const restore = await backUp(stack, `tenants/${tenant.id}`);
  await withStore(stack, (store) => store.doc(`tenants/${tenant.id}`).delete());
  expect(await checking.kindsOf(tenant)).toEqual(['customer-differs']);
  await restore();
});
