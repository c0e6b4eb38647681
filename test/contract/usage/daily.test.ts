import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock } from '../../support/steer.ts';
import { type Client, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { daysOf, setOps, usageOf } from '../../support/usage.ts';

const stack = ownStack();
const KEYS = ['one', 'two', 'destroyed', 'inOther', 'unused'] as const;

let tenant: Tenant;
let inside: Client;
let listed: Client;
let container: string;
let keys: Record<(typeof KEYS)[number], string>;

const wrapAt = async (now: string, client: Client, ...ids: readonly string[]) => {
  await setClock(stack, now);
  for (const id of ids) expect(outcome(await operate(client, id, 'wrap', {}))).toBe('200');
};
/** Returns a new session, because an earlier token may have expired by the time on the stack's clock. */
const session = () => signIn(stack, tenant.subject);

beforeAll(async () => {
  await setClock(stack, '2026-12-30T12:00:00Z');
  tenant = await makeTenant(stack);
  container = text(await tenant.console.send('POST', '/v1/containers', { name: 'other' }), 'id');
  inside = (await tenant.mint({ container_id: container })).client;
  const inOther = { name: randomUUID(), tier: 'wrapped', container_id: container };
  keys = {
    one: await tenant.createKey('wrapped'),
    two: await tenant.createKey('free'),
    destroyed: await tenant.createKey('software'),
    inOther: text(await tenant.console.send('POST', '/v1/keys', inOther), 'id'),
    unused: await tenant.createKey('wrapped'),
  };
  listed = (await tenant.mint({ key_ids: [keys.two, keys.destroyed, keys.unused] })).client;
  await wrapAt('2026-12-30T23:59:00Z', tenant.api, keys.one, keys.two, keys.one);
  await wrapAt('2026-12-31T00:00:00Z', tenant.api, keys.one, keys.destroyed);
  await wrapAt('2026-12-31T00:00:00Z', inside, keys.inOther);
  await operate(tenant.api, keys.one, 'decrypt', { ciphertext: 'AAAA' });
  await (await session()).send('POST', `/v1/keys/${keys.destroyed}/destroy`);
  await wrapAt('2027-01-01T00:00:00Z', tenant.api, keys.one);
});

/** Parses lines such as `30 one 2` (day of the month, key, operations) and puts them in the documented order. */
function lines(...words: readonly string[]) {
  const parsed = words.map((word) => word.split(' ')).map(([day = '', name = '', ops]) => ({ day, name, ops }));
  const idOf = (name: string) => KEYS.flatMap((known) => (known === name ? keys[known] : []))[0] ?? '';
  return parsed
    .map(({ day, name, ops }) => ({ day: `2026-12-${day}`, key_id: idOf(name), name, ops: Number(ops) }))
    .sort((a, b) => (`${a.day} ${a.key_id}` < `${b.day} ${b.key_id}` ? -1 : 1))
    .map(({ name, ...line }) => ({ ...line, container_id: name === 'inOther' ? container : expect.any(String) }));
}

test('the daily usage has a line for each day on which a key performed operations, even if the key is destroyed, sorted by day and key id', async () => {
  const expected = lines('30 one 2', '30 two 1', '31 one 1', '31 destroyed 1', '31 inOther 1');
  expect(await daysOf(await session(), '?period=2026-12')).toEqual(expected);
});

test('the daily usage covers the current month unless the query names another month', async () => {
  await setClock(stack, '2027-01-02T00:00:00Z');
  expect(await daysOf(tenant.api)).toMatchObject([{ day: '2027-01-01', key_id: keys.one, ops: 1 }]);
  expect(await daysOf(tenant.api, '?period=2026-11')).toEqual([]);
});

test('the daily usage has only the keys that the caller may see', async () => {
  const query = '?period=2026-12';
  expect(await daysOf(tenant.api, query)).toEqual(lines('30 one 2', '30 two 1', '31 one 1', '31 destroyed 1'));
  expect(await daysOf(inside, query)).toEqual(lines('31 inOther 1'));
  expect(await daysOf(listed, query)).toEqual(lines('30 two 1', '31 destroyed 1'));
});

test('the daily usage of one key has only the operations of this key, and is empty if the caller may not see the key', async () => {
  const of = (client: Client, id: string) => daysOf(client, `?period=2026-12&key_id=${id}`);
  expect(await of(tenant.api, keys.one.toUpperCase())).toEqual(lines('30 one 2', '31 one 1'));
  expect(await of(await session(), keys.inOther)).toEqual(lines('31 inOther 1'));
  expect(await of(listed, keys.destroyed)).toEqual(lines('31 destroyed 1'));
  const foreignClient = (await makeTenant(stack)).api;
  for (const [client, id] of [
    [tenant.api, keys.inOther],
    [inside, keys.one],
    [listed, keys.one],
    [foreignClient, keys.one],
    [tenant.api, keys.unused],
    [tenant.api, randomUUID()],
  ] as const) {
    expect(await of(client, id)).toEqual([]);
  }
});

test('the daily counts of a key add up to its count for the month', async () => {
  const console = await session();
  const days = await daysOf(console, '?period=2026-12');
  for (const { key_id, ops } of await usageOf(console, '2026-12')) {
    const own = days.filter((line) => line.key_id === key_id);
    expect(own.reduce((sum, line) => sum + line.ops, 0)).toBe(ops);
  }
});

const daily = async (key: string, period: string) =>
  (await daysOf(tenant.api, `?period=${period}&key_id=${key}`)).map(({ day, ops }) => `${day} ${ops}`);

test('setting a higher count adds operations to today, and setting a lower count removes operations', async () => {
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
  ['?key_id=x', '400 invalid_query'],
  ['?key_id=00000000000040008000000000000000', '400 invalid_query'],
])('a request for the daily usage with the query %s gets %s', async (query, expected) => {
  expect(outcome(await tenant.api.send('GET', `/v1/usage/daily${query}`))).toBe(expected);
});
