import { expect, test } from 'vitest';
import { amountsOf, closeMonth, invoicesOf, setSubscription, statementOf } from '../../support/billing.ts';
import { outcome, text } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, setClock } from '../../support/steer.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { setOps } from '../../support/usage.ts';

const stack = ownStack();

async function statement(tenant: Tenant, period: string) {
  return statementOf(await signIn(stack, tenant.subject), period);
}

async function remove(tenant: Tenant, key: string): Promise<void> {
  expect(outcome(await tenant.api.send('DELETE', `/v1/keys/${key}`))).toBe('200');
}

async function restore(tenant: Tenant, key: string): Promise<void> {
  expect(outcome(await tenant.api.send('POST', `/v1/keys/${key}/restore`))).toBe('200');
}

/**
 * Makes a tenant with a key of each tier on 10 October 2026. The software key is deleted on the 20th and restored on
 * the 25th. The hsm key is deleted on the 22nd.
 */
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
  await restore(tenant, software);
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

test('a tenant without a subscription has a statement but no invoice', async () => {
  await setClock(stack, '2026-10-10T12:00:00Z');
  const tenant = await makeTenant(stack, 'none');
  await tenant.createKey('free');
  await setClock(stack, '2026-11-01T00:20:00Z');
  expect((await closeMonth(stack)).failed).toBe(0);
  expect(await statement(tenant, '2026-10')).toEqual({
    period: '2026-10',
    currency: 'usd',
    lines: [],
    total_cents: '0',
  });
  expect(await invoicesOf(stack, tenant.id)).toEqual([]);
});

test('a statement shows only the keys of its tenant', async () => {
  const [tenant, other] = [await makeTenant(stack), await makeTenant(stack)];
  const key = await tenant.createKey('wrapped');
  const own = await tenant.console.send('GET', '/v1/billing/statement');
  const period = text(own, 'period');
  expect((await statement(tenant, period)).lines.map(({ key_id }) => key_id)).toEqual([key]);
  expect((await statement(other, period)).lines).toEqual([]);
  await setSubscription(stack, other.id, 'none');
  expect((await statement(other, period)).lines).toEqual([]);
});
