import { expect, test } from 'vitest';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, setClock } from '../../support/steer.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { lineOf, setOps, usageOf } from '../../support/usage.ts';

const stack = ownStack();

/** The deletion or restoration of a key at a point in time. */
type Step = readonly [at: string, what: 'delete' | 'restore'];
/** The allowances of a `wrapped`, a `software` and an `hsm` key. */
type Allowances = readonly [wrapped: number, software: number, hsm: number];

const WHOLE: Allowances = [50_000, 100_000, 250_000];
const NOTHING: Allowances = [0, 0, 0];

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
      const answer = await (what === 'delete'
        ? tenant.api.send('DELETE', path)
        : tenant.api.send('POST', `${path}/restore`));
      expect(answer.status).toBe(200);
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
    { '2027-05': [1_612, 3_225, 8_064], '2027-06': NOTHING },
  ],
  [
    'a key that is deleted late on the 10th counts for 10 of 30 days',
    '2027-03-15T12:00:00Z',
    [['2027-04-10T23:59:20Z', 'delete']],
    { '2027-03': [27_419, 54_838, 137_096], '2027-04': [16_666, 33_333, 83_333] },
  ],
  [
    'a key that is deleted, restored and deleted again counts until the second deletion',
    '2027-03-15T12:00:00Z',
    [
      ['2027-04-05T12:00:00Z', 'delete'],
      ['2027-04-08T12:00:00Z', 'restore'],
      ['2027-04-20T12:00:00Z', 'delete'],
    ],
    { '2027-04': [33_333, 66_666, 166_666] },
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
])('when allowances are prorated, %s', async (_, created, steps, expected) => {
  const { tenant } = await makeHistory(created, steps);
  for (const [period, allowances] of Object.entries(expected)) {
    const lines = await usageOf(tenant.api, period);
    expect([period, lines.map(({ allowance }) => allowance)]).toEqual([period, allowances]);
    expect(lines.map(({ cap }) => cap)).toEqual(WHOLE);
  }
});

test.each<[string, string, readonly Step[]]>([
  ['for a key deleted in the month', '2026-09-01T12:00:00Z', [['2026-09-10T12:00:00Z', 'delete']]],
  ['for a key created and deleted on one day', '2026-09-15T08:00:00Z', [['2026-09-15T20:00:00Z', 'delete']]],
])('before October 2026, the allowance is the whole cap %s', async (_, created, steps) => {
  const { tenant } = await makeHistory(created, steps);
  expect((await usageOf(tenant.api, '2026-09')).map(({ allowance }) => allowance)).toEqual(WHOLE);
});

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
