import { expect, test } from 'vitest';
import { amountsOf, closeMonth, invoicesOf, setSubscription, statementOf, stripeOf } from '../../support/billing.ts';
import { control, outcome } from '../../support/client.ts';
import { documentsOf } from '../../support/firestore.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, setClock, setFaults } from '../../support/steer.ts';
import { accept, inviteTo, meOf, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { setOps } from '../../support/usage.ts';

const stack = ownStack();

async function statement(tenant: Tenant, period: string) {
  return statementOf(await signIn(stack, tenant.subject), period);
}

async function remove({ api }: Tenant, key: string): Promise<void> {
  expect(outcome(await api.send('DELETE', `/v1/keys/${key}`))).toBe('200');
}

/** Makes a key of each tier on 10 October, deletes `software` and `hsm` later, and restores `software` on the 25th. */
async function makeTenantOfOctober() {
  await setClock(stack, '2026-10-10T12:00:00Z');
  const tenant = await makeTenant(stack);
  const [wrapped, software, hsm] = [
    await tenant.createKey('wrapped', 'wrapped'),
    await tenant.createKey('software', 'software'),
    await tenant.createKey('hsm', 'hsm'),
  ];
  await tenant.createKey('free', 'free');
  await setClock(stack, '2026-10-20T12:00:00Z');
  await remove(tenant, software);
  await setClock(stack, '2026-10-22T12:00:00Z');
  await remove(tenant, hsm);
  await setClock(stack, '2026-10-25T12:00:00Z');
  expect(outcome(await tenant.api.send('POST', `/v1/keys/${software}/restore`))).toBe('200');
  await setOps(tenant.api, wrapped, '2026-10', 60_000);
  await setOps(tenant.api, software, '2026-10', 71_000);
  await setOps(tenant.api, hsm, '2026-10', 100);
  return { tenant, wrapped, software, hsm };
}

const OCTOBER_LINES = [
  {
    ...{ key_name: 'wrapped', tier: 'wrapped', days: 22, days_in_month: 31, fee_cents: '212.90323' },
    ...{ ops: 60_000, allowance: 35_483, overage_ops: 24_517, overage_cents: '24.517' },
  },
  {
    ...{ key_name: 'software', tier: 'software', days: 22, days_in_month: 31, fee_cents: '709.67742' },
    ...{ ops: 71_000, allowance: 70_967, overage_ops: 33, overage_cents: '0.066' },
  },
  {
    ...{ key_name: 'hsm', tier: 'hsm', days: 13, days_in_month: 31, fee_cents: '1467.74194' },
    ...{ ops: 100, allowance: 104_838, overage_ops: 0, overage_cents: '0' },
  },
];
const OCTOBER = { byTier: { wrapped: 237, software: 710, hsm: 1468 }, total: 2415 };

test('the statements and invoices of two months are exact to the cent, and later changes do not affect a closed month', async () => {
  const { tenant, wrapped, software, hsm } = await makeTenantOfOctober();
  const open = await statement(tenant, '2026-10');
  expect(open).toMatchObject({ period: '2026-10', lines: OCTOBER_LINES, total_cents: '2415' });
  expect(open.lines.map(({ key_id }) => key_id)).toEqual([wrapped, software, hsm]);

  await setClock(stack, '2026-11-01T00:20:00Z');
  expect(await closeMonth(stack)).toEqual({ closed: 1, failed: 0 });
  expect(await statement(tenant, '2026-10')).toEqual(open);
  const [october, ...more] = await invoicesOf(stack, tenant.id);
  expect(more).toEqual([]);
  expect(october).toMatchObject({ period: '2026-10', status: 'paid' });
  expect(october && amountsOf(october)).toEqual(OCTOBER);

  await setClock(stack, '2026-11-10T12:00:00Z');
  await destroyDueKeys(stack);
  await setOps(tenant.api, wrapped, '2026-10', 9_999_999);
  await setOps(tenant.api, wrapped, '2026-11', 17_000);
  await setOps(tenant.api, software, '2026-11', 100_250);
  await remove(tenant, wrapped);
  expect(await statement(tenant, '2026-10')).toEqual(open);

  await setClock(stack, '2026-12-01T00:20:00Z');
  expect((await closeMonth(stack)).failed).toBe(0);
  expect(await statement(tenant, '2026-11')).toMatchObject({
    lines: [
      { key_id: wrapped, days: 10, days_in_month: 30, fee_cents: '100', allowance: 16_666, overage_cents: '0.334' },
      { key_id: software, days: 30, days_in_month: 30, fee_cents: '1000', allowance: 100_000, overage_cents: '0.5' },
    ],
    total_cents: '1101',
  });
  const [, november, ...others] = await invoicesOf(stack, tenant.id);
  expect(others).toEqual([]);
  expect(november).toMatchObject({ period: '2026-11', status: 'paid' });
  expect(november && amountsOf(november)).toEqual({ byTier: { wrapped: 100, software: 1001 }, total: 1101 });
  expect((await invoicesOf(stack, tenant.id))[0]).toEqual(october);
});

test('keys are billed by the month in September 2026 and by the day in October 2026', async () => {
  await setClock(stack, '2026-09-25T12:00:00Z');
  const tenant = await makeTenant(stack);
  await tenant.createKey('hsm', 'stays');
  const brief = await tenant.createKey('software', 'brief');
  await setClock(stack, '2026-09-26T11:00:00Z');
  await remove(tenant, brief);
  await setClock(stack, '2026-09-30T12:00:00Z');
  const late = await tenant.createKey('wrapped', 'late');
  await setClock(stack, '2026-10-10T12:00:00Z');
  await remove(tenant, late);
  await setClock(stack, '2026-11-01T00:20:00Z');
  expect((await closeMonth(stack)).failed).toBe(0);
  const none = { days: null, days_in_month: null };
  expect(await statement(tenant, '2026-09')).toMatchObject({
    lines: [
      { key_name: 'stays', ...none, fee_cents: '3500', allowance: 250_000 },
      { key_name: 'brief', ...none, fee_cents: '0', allowance: 100_000 },
      { key_name: 'late', ...none, fee_cents: '0', allowance: 50_000 },
    ],
    total_cents: '3500',
  });
  expect(await statement(tenant, '2026-10')).toMatchObject({
    lines: [
      { key_name: 'stays', days: 31, fee_cents: '3500' },
      { key_name: 'late', days: 10, fee_cents: '96.77419' },
    ],
    total_cents: '3597',
  });
  const invoices = (await invoicesOf(stack, tenant.id)).map((invoice) => [invoice.period, amountsOf(invoice)]);
  expect(Object.fromEntries(invoices)).toEqual({
    '2026-09': { byTier: { hsm: 3500 }, total: 3500 },
    '2026-10': { byTier: { wrapped: 97, hsm: 3500 }, total: 3597 },
  });
});

test('a tenant without a subscription has no invoice, and only its keys are in its statement', async () => {
  await setClock(stack, '2026-10-10T12:00:00Z');
  const [tenant, other] = [await makeTenant(stack, 'none'), await makeTenant(stack)];
  await tenant.createKey('free');
  const key = await other.createKey('wrapped');
  await setClock(stack, '2026-11-01T00:20:00Z');
  expect((await closeMonth(stack)).failed).toBe(0);
  const empty = { period: '2026-10', currency: 'usd', lines: [], total_cents: '0' };
  expect(await statement(tenant, '2026-10')).toEqual(empty);
  expect((await statement(other, '2026-10')).lines.map(({ key_id }) => key_id)).toEqual([key]);
  expect(await invoicesOf(stack, tenant.id)).toEqual([]);
});

/** Makes a tenant with a key of each paid tier. The tenant owes $48 a month. */
async function makePayer(clock: string): Promise<Tenant> {
  await setClock(stack, clock);
  const tenant = await makeTenant(stack);
  for (const tier of ['wrapped', 'software', 'hsm'] as const) await tenant.createKey(tier);
  return tenant;
}

const WHOLE_MONTH = { byTier: { wrapped: 300, software: 1000, hsm: 3500 }, total: 4800 };

async function billed(tenant: Tenant) {
  const invoices = await invoicesOf(stack, tenant.id);
  return invoices.map((invoice) => [invoice.period, invoice.status, amountsOf(invoice)]);
}

/** Returns the ids of the customers at Stripe that have the tenant's id in their metadata. */
async function customersOf(tenant: Tenant): Promise<string[]> {
  const { data } = await stripeOf(stack).customers.list();
  return data.filter(({ metadata }) => metadata.tenant_id === tenant.id).map(({ id }) => id);
}

async function draftsOf(tenant: Tenant): Promise<number> {
  const answer = await control(stack, 'GET', `/stripe/invoices?tenant_id=${tenant.id}`);
  return JSON.stringify(answer.body).split('"status":"draft"').length - 1;
}

test('a closed month is billed on the draft invoice of the new period', async () => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  await setClock(stack, '2026-11-01T00:20:00Z');
  expect(await draftsOf(tenant)).toBe(1);
  await closeMonth(stack);
  expect(await billed(tenant)).toEqual([['2026-10', 'paid', WHOLE_MONTH]]);
  expect(await draftsOf(tenant)).toBe(0);
  const [customer = ''] = await customersOf(tenant);
  expect((await stripeOf(stack).invoices.list({ customer })).data).toMatchObject([
    { billing_reason: 'subscription_cycle', total: 4800 },
  ]);
});

test('a month that is closed more than an hour after its draft invoice was made gets a separate invoice', async () => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  await setClock(stack, '2026-11-01T00:20:00Z');
  await setClock(stack, '2026-11-01T01:30:00Z');
  expect(await draftsOf(tenant)).toBe(0);
  await closeMonth(stack);
  expect(await billed(tenant)).toEqual([['2026-10', 'paid', WHOLE_MONTH]]);
});

test('a month gets a separate invoice if the subscription has ended', async () => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  await setClock(stack, '2026-10-20T12:00:00Z');
  await setSubscription(stack, tenant.id, 'canceled');
  await setClock(stack, '2026-11-01T00:20:00Z');
  await closeMonth(stack);
  expect(await billed(tenant)).toEqual([['2026-10', 'open', WHOLE_MONTH]]);
  expect(await draftsOf(tenant)).toBe(0);
});

test('closing a month does not change the draft invoice of a tenant that owes nothing', async () => {
  await setClock(stack, '2026-10-01T12:00:00Z');
  const tenant = await makeTenant(stack);
  await setClock(stack, '2026-11-01T00:20:00Z');
  expect((await closeMonth(stack)).failed).toBe(0);
  expect(await draftsOf(tenant)).toBe(1);
  await setClock(stack, '2026-11-01T01:30:00Z');
  expect(await draftsOf(tenant)).toBe(0);
  expect(await billed(tenant)).toEqual([]);
});

test('close-month does not close the current month', async () => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  await closeMonth(stack);
  await setClock(stack, '2026-10-31T23:00:00Z');
  expect(await closeMonth(stack)).toEqual({ closed: 0, failed: 0 });
  expect(await billed(tenant)).toEqual([]);
});

test.each([
  ['with a draft invoice for each', 'active', 'paid'],
  ['without draft invoices', 'canceled', 'open'],
])('months that earlier runs missed are closed oldest first, %s', async (_, status, paid) => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  await setSubscription(stack, tenant.id, status);
  await setClock(stack, '2027-01-01T00:20:00Z');
  expect((await closeMonth(stack)).failed).toBe(0);
  const months = ['2026-10', '2026-11', '2026-12'];
  expect(await billed(tenant)).toEqual(months.map((month) => [month, paid, WHOLE_MONTH]));
  expect(await draftsOf(tenant)).toBe(0);
  const events = await stripeOf(stack).events.list({ type: 'invoice.finalized', limit: 100 });
  const periods = events.data
    .map(({ data }) => JSON.stringify(data.object))
    .filter((invoice) => invoice.includes(tenant.id))
    .map((invoice) => /2026-1[012]/.exec(invoice)?.[0]);
  expect(periods.reverse()).toEqual(months);
  expect(await closeMonth(stack)).toEqual({ closed: 0, failed: 0 });
});

test('while Stripe is down, close-month fails only for tenants that owe money, and the next run bills these tenants', async () => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  const free = await makeTenant(stack, 'none');
  await setClock(stack, '2026-11-01T00:20:00Z');
  await setFaults(stack, { stripe: 'down' });
  expect(await closeMonth(stack)).toEqual({ closed: 1, failed: 1 });
  const before = await statement(tenant, '2026-10');
  await setFaults(stack, { stripe: null });
  expect(await billed(tenant)).toEqual([]);
  await setClock(stack, '2026-11-02T09:00:00Z');
  expect(await closeMonth(stack)).toEqual({ closed: 1, failed: 0 });
  expect(await billed(tenant)).toEqual([['2026-10', 'paid', WHOLE_MONTH]]);
  expect(await statement(tenant, '2026-10')).toEqual(before);
  expect(await invoicesOf(stack, free.id)).toEqual([]);
});

test('close-month reads each subscription from Stripe once a day, and so finds a change whose webhook was lost', async () => {
  await setClock(stack, '2026-10-10T12:00:00Z');
  const { id, subject } = await makeTenant(stack);
  await control(stack, 'POST', '/stripe/subscription', { tenant_id: id, status: 'unpaid', webhooks: 'lost' });
  const standingAt = async (clock: string) => {
    await setClock(stack, clock);
    await closeMonth(stack);
    return Object((await (await signIn(stack, subject)).send('GET', '/v1/billing')).body).standing;
  };
  expect(await standingAt('2026-10-11T11:00:00Z')).toBe('good');
  expect(await standingAt('2026-10-11T13:00:00Z')).toBe('none');
});

test('if a customer was deleted at Stripe, close-month invoices a new customer of the tenant', async () => {
  const tenant = await makePayer('2026-10-01T12:00:00Z');
  for (const id of await customersOf(tenant)) await stripeOf(stack).customers.del(id);
  await setClock(stack, '2026-11-01T00:20:00Z');
  expect(await closeMonth(stack)).toMatchObject({ failed: 0 });
  expect(await billed(tenant)).toEqual([['2026-10', 'open', WHOLE_MONTH]]);
});

test('close-month removes an empty tenant that was left, but keeps one with audit events, without its objects', async () => {
  const tenant = await makeTenant(stack);
  const leave = async (fill: (session: Client) => Promise<unknown>) => {
    const session = await signInSomebody(stack);
    const { id } = (await meOf(session)).tenant;
    await fill(session);
    await accept(session, (await inviteTo(tenant, 'auditor')).token);
    await closeMonth(stack);
    const documents = await documentsOf(stack);
    return [...documents]
      .filter(([path, data]) => path.includes(id) || data.includes(id))
      .map(([path]) => path.split('/')[0]);
  };
  expect(await leave(async () => undefined)).toEqual([]);
  const kept = await leave(async (session) => {
    await session.send('POST', '/v1/containers', { name: 'one' });
    await session.send('POST', '/v1/firewalls', { name: 'one', allowed_ips: ['::1'] });
  });
  expect([...new Set(kept)].sort()).toEqual(['audit', 'tenants', 'unsealed']);
});
