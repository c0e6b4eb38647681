import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock } from '../../support/steer.ts';
import { type Client, makeContainer, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { daysOf, setOps, usageOf } from '../../support/usage.ts';

const stack = ownStack();
const DECEMBER = '2026-12';

let tenant: Tenant;
let inside: Client;
let listed: Client;
let container: string;
/** Ids of keys, in order of creation. `inOther` is in the second container, `destroyed` and `unused` are destroyed. */
const keys = { one: '', inOther: '', destroyed: '', unused: '', pending: '', two: '' };

const wrapAt = async (now: string, client: Client, ...ids: readonly string[]) => {
  await setClock(stack, now);
  for (const id of ids) expect(outcome(await operate(client, id, 'wrap', {}))).toBe('200');
};
/** Returns a new session, because an earlier token may have expired by the time on the stack's clock. */
const session = () => signIn(stack, tenant.subject);

beforeAll(async () => {
  await setClock(stack, '2026-12-30T12:00:00Z');
  tenant = await makeTenant(stack);
  container = await makeContainer(tenant);
  inside = (await tenant.mint({ container_id: container })).client;
  const inOther = { name: randomUUID(), tier: 'wrapped', container_id: container };
  keys.one = await tenant.createKey('hsm');
  keys.inOther = text(await tenant.console.send('POST', '/v1/keys', inOther), 'id');
  keys.destroyed = await tenant.createKey('software');
  keys.unused = await tenant.createKey('software');
  keys.pending = await tenant.createKey('software');
  keys.two = await tenant.createKey('free');
  listed = (await tenant.mint({ key_ids: [keys.two, keys.destroyed, keys.unused] })).client;
  await wrapAt('2026-12-30T23:59:00Z', tenant.api, keys.one, keys.two, keys.one);
  await wrapAt('2026-12-31T00:00:00Z', tenant.api, keys.one, keys.destroyed);
  await wrapAt('2026-12-31T00:00:00Z', inside, keys.inOther);
  await operate(tenant.api, keys.one, 'decrypt', { ciphertext: 'AAAA' });
  const owner = await session();
  for (const id of [keys.destroyed, keys.unused]) await owner.send('POST', `/v1/keys/${id}/destroy`);
  await tenant.api.send('DELETE', `/v1/keys/${keys.pending}`);
  await wrapAt('2027-01-01T00:00:00Z', tenant.api, keys.one);
});

const seenBy = async (client: Client, period?: string) => (await usageOf(client, period)).map(({ key_id }) => key_id);

test('the usage report has all live keys that the caller may see, and the destroyed keys that were used, oldest first', async () => {
  const { one, inOther, destroyed, pending, two } = keys;
  expect(await seenBy(await session(), DECEMBER)).toEqual([one, inOther, destroyed, pending, two]);
  expect(await seenBy(tenant.api, DECEMBER)).toEqual([one, destroyed, pending, two]);
  expect(await seenBy(inside, DECEMBER)).toEqual([inOther]);
  expect(await seenBy(listed, DECEMBER)).toEqual([destroyed, two]);
  expect(await usageOf((await makeTenant(stack)).api)).toEqual([]);
});

test('the report of a month without operations has only the live keys, even if the month is before their creation', async () => {
  const { one, inOther, pending, two } = keys;
  const owner = await session();
  for (const period of ['2026-09', '2026-10', '0001-01', '9999-12']) {
    expect(await seenBy(owner, period)).toEqual([one, inOther, pending, two]);
    expect((await usageOf(owner, period)).filter(({ ops }) => ops !== 0)).toEqual([]);
  }
  expect(await seenBy(listed, '2026-10')).toEqual([two]);
});

test('each line of the usage report has the key’s number of operations and the monthly cap of its tier', async () => {
  const lines = await usageOf(await session(), DECEMBER);
  const own = { container_id: lines[0]?.container_id, overage_ops: 0 };
  expect(lines.map(({ allowance: _, ...line }) => line)).toEqual([
    { key_id: keys.one, ...own, ops: 3, cap: 250_000 },
    { key_id: keys.inOther, ...own, container_id: container, ops: 1, cap: 50_000 },
    { key_id: keys.destroyed, ...own, ops: 1, cap: 100_000 },
    { key_id: keys.pending, ...own, ops: 0, cap: 100_000 },
    { key_id: keys.two, ...own, ops: 1, cap: 10_000 },
  ]);
  expect(lines[4]?.allowance).toBe(10_000);
});

/** Parses lines such as `30 one 2` (day of the month, key, operations) and puts them in the documented order. */
function lines(...words: readonly string[]) {
  return words
    .map((word) => {
      const [day = '', name = '', ops] = word.split(' ');
      const key_id = Object.entries(keys).find(([known]) => known === name)?.[1] ?? '';
      const container_id = name === 'inOther' ? container : expect.any(String);
      return { day: `2026-12-${day}`, key_id, ops: Number(ops), container_id };
    })
    .sort((a, b) => (`${a.day} ${a.key_id}` < `${b.day} ${b.key_id}` ? -1 : 1));
}

test('the daily usage has a line for each day on which a key that the caller may see performed operations, even if the key is destroyed, sorted by day and key id', async () => {
  const all = ['30 one 2', '30 two 1', '31 one 1', '31 destroyed 1'];
  const query = '?period=2026-12';
  const owner = await session();
  const days = await daysOf(owner, query);
  expect(days).toEqual(lines(...all, '31 inOther 1'));
  expect(await daysOf(tenant.api, query)).toEqual(lines(...all));
  expect(await daysOf(inside, query)).toEqual(lines('31 inOther 1'));
  expect(await daysOf(listed, query)).toEqual(lines('30 two 1', '31 destroyed 1'));
  for (const { key_id, ops } of await usageOf(owner, DECEMBER)) {
    const own = days.filter((line) => line.key_id === key_id);
    expect(own.reduce((sum, line) => sum + line.ops, 0)).toBe(ops);
  }
});

test('reports cover the current month unless the query names another month', async () => {
  await setClock(stack, '2027-01-02T00:00:00Z');
  expect(await daysOf(tenant.api)).toMatchObject([{ day: '2027-01-01', key_id: keys.one, ops: 1 }]);
  expect((await usageOf(tenant.api)).filter(({ ops }) => ops > 0)).toMatchObject([{ key_id: keys.one, ops: 1 }]);
  expect(await daysOf(tenant.api, '?period=2026-11')).toEqual([]);
});

test('the daily usage of one key has only the operations of this key, and is empty if the caller may not see the key', async () => {
  const of = (client: Client, id: string) => daysOf(client, `?period=2026-12&key_id=${id}`);
  expect(await of(tenant.api, keys.one.toUpperCase())).toEqual(lines('30 one 2', '31 one 1'));
  expect(await of(await session(), keys.inOther)).toEqual(lines('31 inOther 1'));
  expect(await of(listed, keys.destroyed)).toEqual(lines('31 destroyed 1'));
  for (const [client, id] of [
    [tenant.api, keys.inOther],
    [inside, keys.one],
    [listed, keys.one],
    [(await makeTenant(stack)).api, keys.one],
    [tenant.api, keys.unused],
    [tenant.api, randomUUID()],
  ] as const) {
    expect(await of(client, id)).toEqual([]);
  }
});

const daily = async (key: string, period: string) =>
  (await daysOf(tenant.api, `?period=${period}&key_id=${key}`)).map(({ day, ops }) => `${day} ${ops}`);

test('setting a higher count through the control API adds operations to today, and setting a lower count removes operations', async () => {
  const key = await tenant.createKey('wrapped');
  await wrapAt('2027-02-03T10:00:00Z', tenant.api, key, key);
  await setClock(stack, '2027-02-05T00:00:00Z');
  await setOps(tenant.api, key, '2027-02', 12);
  await wrapAt('2027-02-05T00:00:00Z', tenant.api, key);
  expect(await daily(key, '2027-02')).toEqual(['2027-02-03 2', '2027-02-05 11']);
  await setOps(tenant.api, key, '2027-02', 1);
  expect(await daily(key, '2027-02')).toEqual(['2027-02-03 1']);
});

test('operations that are set for a past month are counted on the last day of that month', async () => {
  const key = await tenant.createKey('wrapped');
  await setClock(stack, '2027-03-05T00:00:00Z');
  await setOps(tenant.api, key, '2027-02', 7);
  expect(await daily(key, '2027-02')).toEqual(['2027-02-28 7']);
});

test.each([
  ['usage?period=2026-10%0A', '400 invalid_period'],
  ['usage?period=2026%2D10', '200'],
  ['usage/daily?key_id=x', '400 invalid_query'],
  ['usage/daily?key_id=00000000000040008000000000000000', '400 invalid_query'],
])('a request for %s gets %s', async (target, expected) => {
  expect(outcome(await tenant.api.send('GET', `/v1/${target}`))).toBe(expected);
});
