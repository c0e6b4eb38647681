import { beforeEach, expect, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { operate, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock } from '../../support/steer.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf, setOps } from '../../support/usage.ts';

const stack = ownStack();
const MONTH = '2027-03';

beforeEach(() => setClock(stack, '2027-03-15T12:00:00Z'));

const opsOf = async (tenant: Tenant, key: string, period?: string) => (await lineOf(tenant.api, key, period)).ops;
const wrap = async (tenant: Tenant, key: string) => outcome(await operate(tenant.api, key, 'wrap', {}));

test('an operation counts in the UTC month in which it runs, and the next month starts at zero', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  await setClock(stack, '2027-03-31T23:59:30Z');
  await wrap(tenant, key);
  await wrap(tenant, key);
  await setClock(stack, '2027-04-01T00:00:00Z');
  expect(await lineOf(tenant.api, key)).toMatchObject({ ops: 0 });
  await wrap(tenant, key);
  expect([await opsOf(tenant, key, MONTH), await opsOf(tenant, key, '2027-04'), await opsOf(tenant, key)]).toEqual([
    2, 1, 1,
  ]);
});

test('after 10,000 operations in a month, a free key refuses operations, and the answer names the cap and its end', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('free');
  await setOps(tenant.api, key, MONTH, 9_999);
  expect(await wrap(tenant, key)).toBe('200');
  const { status, body } = await operate(tenant.api, key, 'wrap', {});
  const limit = { cap: 10_000, resets_at: '2027-04-01T00:00:00.000000Z' };
  expect([status, body]).toEqual([
    429,
    { error: 'ops_cap_reached', message: 'monthly operation cap reached', request_id: expect.any(String), ...limit },
  ]);
  const { cap, ...line } = await lineOf(tenant.api, key);
  expect([cap, line]).toMatchObject([10_000, { ops: 10_000, overage_ops: 0, allowance: 10_000 }]);
});

test('a free key at its cap can still be rotated and renamed, and rotation does not reset its count', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('free');
  await setOps(tenant.api, key, MONTH, 10_000);
  await rotate(tenant.api, key);
  const renamed = await tenant.api.send('PATCH', `/v1/keys/${key}`, { name: 'renamed' });
  expect(outcome(renamed)).toBe('200');
  expect(await wrap(tenant, key)).toBe('429 ops_cap_reached');
});

test('a free key at its cap works again at 00:00 UTC on the first of the next month', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('free');
  await setClock(stack, '2027-12-31T23:59:30Z');
  await setOps(tenant.api, key, '2027-12', 10_000);
  const refused = await operate(tenant.api, key, 'wrap', {});
  expect(refused.body).toMatchObject({ resets_at: '2028-01-01T00:00:00.000000Z' });
  await setClock(stack, '2028-01-01T00:00:00Z');
  expect(await wrap(tenant, key)).toBe('200');
  expect([await opsOf(tenant, key), await opsOf(tenant, key, '2027-12')]).toEqual([1, 10_000]);
});

test('concurrent requests can exceed the cap of a free key, and usage shows the excess as overage', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('free');
  await setOps(tenant.api, key, MONTH, 9_990);
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => wrap(tenant, key)));
  const performed = outcomes.filter((one) => one === '200').length;
  expect(outcomes.filter((one) => one !== '200' && one !== '429 ops_cap_reached')).toEqual([]);
  expect(performed).toBeGreaterThanOrEqual(10);
  expect(await wrap(tenant, key)).toBe('429 ops_cap_reached');
  const ops = 9_990 + performed;
  expect(await lineOf(tenant.api, key)).toMatchObject({ ops, overage_ops: ops - 10_000, allowance: 10_000 });
});

test('a new free key starts at zero operations even if the tenant’s destroyed free key had reached the cap', async () => {
  const tenant = await makeTenant(stack);
  const spent = await tenant.createKey('free');
  await setOps(tenant.api, spent, MONTH, 10_000);
  await tenant.console.send('POST', `/v1/keys/${spent}/destroy`);
  const key = await tenant.createKey('free');
  expect(await wrap(tenant, key)).toBe('200');
  expect([await opsOf(tenant, key), await opsOf(tenant, spent)]).toEqual([1, 10_000]);
});

test.each([
  ['wrapped', 50_000],
  ['software', 100_000],
  ['hsm', 250_000],
] as const)(
  'a %s key keeps working after %i operations in a month, and usage shows the excess as overage',
  async (tier, cap) => {
    const tenant = await makeTenant(stack);
    await setClock(stack, '2027-03-01T00:00:00Z');
    const key = await tenant.createKey(tier);
    await setOps(tenant.api, key, MONTH, cap - 1);
    expect(await wrap(tenant, key)).toBe('200');
    expect(await lineOf(tenant.api, key)).toMatchObject({ ops: cap, overage_ops: 0, cap, allowance: cap });
    expect([await wrap(tenant, key), await wrap(tenant, key)]).toEqual(['200', '200']);
    expect(await lineOf(tenant.api, key)).toMatchObject({ ops: cap + 2, overage_ops: 2, cap, allowance: cap });
  },
);
