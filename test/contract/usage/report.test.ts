import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { readClock } from '../../support/steer.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { usageOf } from '../../support/usage.ts';

const stack = inject('stack');

describe('lines of the usage report', () => {
  let tenant: Tenant;
  let container: string;
  let insider: Client;
  let listed: Client;
  /** The ids of keys, in order of creation. `inOther` is in the second container. */
  const keys = { first: '', inOther: '', used: '', unused: '', pending: '', last: '' };
  const seenBy = async (client: Client, period?: string) => (await usageOf(client, period)).map(({ key_id }) => key_id);

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    container = text(await tenant.console.send('POST', '/v1/containers', { name: 'other' }), 'id');
    insider = (await tenant.mint({ container_id: container })).client;
    keys.first = await tenant.createKey('hsm');
    const inOther = { name: randomUUID(), tier: 'wrapped', container_id: container };
    keys.inOther = text(await tenant.console.send('POST', '/v1/keys', inOther), 'id');
    keys.used = await tenant.createKey('software');
    keys.unused = await tenant.createKey('software');
    keys.pending = await tenant.createKey('software');
    keys.last = await tenant.createKey('free');
    listed = (await tenant.mint({ key_ids: [keys.used, keys.unused, keys.last] })).client;
    for (const id of [keys.first, keys.used, keys.last, keys.last]) await operate(tenant.api, id, 'wrap', {});
    await operate(insider, keys.inOther, 'wrap', {});
    for (const id of [keys.used, keys.unused]) await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    await tenant.api.send('DELETE', `/v1/keys/${keys.pending}`);
  });

  test('for a session, the usage report has all live keys of the tenant and the destroyed keys that were used, oldest first', async () => {
    const { first, inOther, used, pending, last } = keys;
    expect(await seenBy(tenant.console)).toEqual([first, inOther, used, pending, last]);
    expect(await seenBy(tenant.console, (await readClock(stack)).slice(0, 7))).toEqual([
      first,
      inOther,
      used,
      pending,
      last,
    ]);
  });

  test('for an API key, the usage report has the keys of its container', async () => {
    const { first, inOther, used, pending, last } = keys;
    expect(await seenBy(tenant.api)).toEqual([first, used, pending, last]);
    expect(await seenBy(insider)).toEqual([inOther]);
  });

  test('for an API key with a key list, the usage report has only the listed keys', async () => {
    expect(await seenBy(listed)).toEqual([keys.used, keys.last]);
  });

  test('the report of a month without operations has only the live keys, even if the month is before their creation', async () => {
    const { first, inOther, pending, last } = keys;
    for (const period of ['2026-09', '2026-10', '0001-01', '9999-12']) {
      expect(await seenBy(tenant.console, period)).toEqual([first, inOther, pending, last]);
      expect((await usageOf(tenant.console, period)).filter(({ ops }) => ops !== 0)).toEqual([]);
    }
    expect(await seenBy(listed, '2026-10')).toEqual([last]);
  });

  test('each line of the usage report has the key’s number of operations and the monthly cap of its tier', async () => {
    const { first, inOther, used, pending, last } = keys;
    const lines = await usageOf(tenant.console);
    expect(lines.map(({ allowance: _, ...line }) => line)).toEqual([
      { key_id: first, container_id: expect.any(String), ops: 1, overage_ops: 0, cap: 250_000 },
      { key_id: inOther, container_id: container, ops: 1, overage_ops: 0, cap: 50_000 },
      { key_id: used, container_id: lines[0]?.container_id, ops: 1, overage_ops: 0, cap: 100_000 },
      { key_id: pending, container_id: lines[0]?.container_id, ops: 0, overage_ops: 0, cap: 100_000 },
      { key_id: last, container_id: lines[0]?.container_id, ops: 2, overage_ops: 0, cap: 10_000 },
    ]);
    expect(lines[4]?.allowance).toBe(10_000);
  });

  test('the report of a tenant without keys is empty', async () => {
    const empty = await makeTenant(stack);
    expect(await usageOf(empty.api)).toEqual([]);
    expect(await usageOf(empty.console)).toEqual([]);
  });
});

test.each([
  ['?period=2026-13', '400 invalid_period'],
  ['?period=2026-10%0A', '400 invalid_period'],
  ['?period=2026%2D10', '200'],
])('a request for the usage report with the query %s gets %s', async (query, expected) => {
  const { api } = await makeTenant(stack);
  expect(outcome(await api.send('GET', `/v1/usage${query}`))).toBe(expected);
});
