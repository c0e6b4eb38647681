import { expect, test } from 'vitest';
import { amountsOf, closeMonth, invoicesOf, setSubscription, statementOf, stripeOf } from '../../support/billing.ts';
import { control } from '../../support/client.ts';
import { documentsOf } from '../../support/firestore.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock, setFaults } from '../../support/steer.ts';
import { accept, inviteTo, meOf, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const stack = ownStack();

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

/** Returns the number of the tenant's draft invoices. */
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
  const [customer = ''] = (await stripeOf(stack).customers.list()).data
    .filter(({ metadata }) => metadata.tenant_id === tenant.id)
    .map(({ id }) => id);
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
  await setClock(stack, '2026-10-31T23:59:50Z');
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
  const before = await statementOf(await signIn(stack, tenant.subject), '2026-10');
  await setFaults(stack, { stripe: null });
  expect(await billed(tenant)).toEqual([]);
  await setClock(stack, '2026-11-02T09:00:00Z');
  expect(await closeMonth(stack)).toEqual({ closed: 1, failed: 0 });
  expect(await billed(tenant)).toEqual([['2026-10', 'paid', WHOLE_MONTH]]);
  expect(await statementOf(await signIn(stack, tenant.subject), '2026-10')).toEqual(before);
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
  const { customers } = stripeOf(stack);
  const isOwn = ({ metadata }: { metadata: Record<string, string> }) => metadata.tenant_id === tenant.id;
  for (const { id } of (await customers.list()).data.filter(isOwn)) await customers.del(id);
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
