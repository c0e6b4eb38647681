import { beforeEach, expect, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { bodiesFor, METERED, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, setClock } from '../../support/steer.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { lineOf, setOps, usageOf } from '../../support/usage.ts';

const stack = ownStack();
const MONTH = '2027-03';

beforeEach(() => setClock(stack, '2027-03-15T12:00:00Z'));

const opsOf = async (tenant: Tenant, key: string, period?: string) => (await lineOf(tenant.api, key, period)).ops;
const wrap = async (tenant: Tenant, key: string) => outcome(await operate(tenant.api, key, 'wrap', {}));

test('an operation counts in the UTC month in which it runs, and the next month starts at zero', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  await setClock(stack, '2027-03-31T12:00:00Z');
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
  await setClock(stack, '2027-12-31T12:00:00Z');
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

test('each successful operation counts as one, whatever its size', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const bodies = await bodiesFor(tenant.api, key);
  for (const [done, operation] of METERED.entries()) {
    expect(await opsOf(tenant, key)).toBe(1 + done);
    expect(outcome(await operate(tenant.api, key, operation, bodies[operation]))).toBe('200');
  }
  await operate(tenant.api, key, 'encrypt', { plaintext: randomBase64(65_536) });
  expect(await opsOf(tenant, key)).toBe(7);
});

test('every operation with a key adds to the count of that key, whichever API key sends it and whichever key version it uses', async () => {
  const tenant = await makeTenant(stack);
  const [key, other] = [await tenant.createKey('software'), await tenant.createKey('software')];
  const { client } = await tenant.mint();
  await operate(tenant.api, key, 'wrap', {});
  await rotate(tenant.api, key);
  await operate(client, key, 'wrap', {});
  await operate(client, other, 'wrap', {});
  expect([await opsOf(tenant, key), await opsOf(tenant, other)]).toEqual([2, 1]);
});

type Step = readonly [at: string, what: 'delete' | 'restore'];
type Allowances = readonly [wrapped: number, software: number, hsm: number];
const WHOLE: Allowances = [50_000, 100_000, 250_000];

/** Makes a tenant with a key of each paid tier. The keys are created, deleted and restored at the same times. */
async function makeHistory(created: string, steps: readonly Step[]): Promise<{ tenant: Tenant; keys: string[] }> {
  await setClock(stack, created);
  const tenant = await makeTenant(stack);
  const keys: string[] = [];
  for (const tier of ['wrapped', 'software', 'hsm'] as const) keys.push(await tenant.createKey(tier));
  for (const [at, what] of steps) {
    await setClock(stack, at);
    for (const key of keys) {
      const path = `/v1/keys/${key}`;
      const [method, suffix] = what === 'delete' ? ['DELETE', ''] : ['POST', '/restore'];
      expect((await tenant.api.send(method, path + suffix)).status).toBe(200);
    }
  }
  return { tenant, keys };
}

test.each<[string, string, readonly Step[], Record<string, Allowances>]>([
  [
    'a key that is created on 21 April counts for 10 of 30 days',
    '2027-04-21T00:00:00Z',
    [],
    { '2027-04': [16_666, 33_333, 83_333], '2027-05': WHOLE },
  ],
  [
    'a key that is created and deleted on the same day counts for 1 of 31 days',
    '2027-05-05T08:00:00Z',
    [['2027-05-05T20:00:00Z', 'delete']],
    { '2027-05': [1_612, 3_225, 8_064], '2027-06': [0, 0, 0] },
  ],
  [
    'a key that is deleted on 27 April and restored in May counts for part of April and all of May',
    '2027-03-15T12:00:00Z',
    [
      ['2027-04-27T12:00:00Z', 'delete'],
      ['2027-05-02T12:00:00Z', 'restore'],
    ],
    { '2027-04': [45_000, 90_000, 225_000], '2027-05': WHOLE, '2027-06': WHOLE },
  ],
])(
  'an allowance is in proportion to the days on which a key exists, rounded down: %s',
  async (_, created, steps, expected) => {
    const { tenant } = await makeHistory(created, steps);
    for (const [period, allowances] of Object.entries(expected)) {
      const lines = await usageOf(tenant.api, period);
      expect([period, lines.map(({ allowance }) => allowance)]).toEqual([period, allowances]);
      expect(lines.map(({ cap }) => cap)).toEqual(WHOLE);
    }
  },
);

test('the allowance of the current month includes the remaining days, unless the key’s deletion is requested', async () => {
  const { tenant, keys } = await makeHistory('2027-04-21T09:00:00Z', []);
  const allowance = async () => (await lineOf(tenant.api, keys[1] ?? '')).allowance;
  expect(await allowance()).toBe(33_333);
  await setClock(stack, '2027-04-25T09:00:00Z');
  expect(await allowance()).toBe(33_333);
  await tenant.api.send('DELETE', `/v1/keys/${keys[1]}`);
  expect(await allowance()).toBe(16_666);
});

test('a destroyed key that was used keeps its usage line, with an allowance for the days until its deletion was requested', async () => {
  const { tenant, keys } = await makeHistory('2027-03-15T12:00:00Z', []);
  const [, used = '', unused = ''] = keys;
  await setClock(stack, '2027-04-27T12:00:00Z');
  await operate(tenant.api, used, 'wrap', {});
  for (const key of [used, unused]) await tenant.api.send('DELETE', `/v1/keys/${key}`);
  await setClock(stack, '2027-05-05T12:00:00Z');
  await destroyDueKeys(stack);
  const april = await usageOf(tenant.api, '2027-04');
  expect(april.map(({ key_id }) => key_id)).toEqual([keys[0], used]);
  expect(april[1]).toMatchObject({ ops: 1, allowance: 90_000, cap: 100_000 });
  expect((await usageOf(tenant.api, '2027-05')).map(({ key_id }) => key_id)).toEqual([keys[0]]);
});

test.each<[string, string, readonly Step[]]>([
  ['active includes the day of its destruction', '2027-04-10T12:00:00Z', []],
  ['pending deletion ends on the day of the request', '2027-04-12T12:00:00Z', [['2027-04-10T23:00:00Z', 'delete']]],
])('the allowance of a key that is destroyed while %s', async (_, destroyedAt, steps) => {
  const { tenant, keys } = await makeHistory('2027-03-15T12:00:00Z', steps);
  const [, key = ''] = keys;
  await setClock(stack, destroyedAt);
  await setOps(tenant.api, key, '2027-04', 1);
  const session = await signIn(stack, tenant.subject);
  expect((await session.send('POST', `/v1/keys/${key}/destroy`)).status).toBe(204);
  expect(await lineOf(session, key, '2027-04')).toMatchObject({ ops: 1, allowance: 33_333 });
});
