import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventsOfKey } from '../../support/audit.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { eventObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

let tenant: Tenant;
let key: string;
/** The request ids of the events after the creation of the key, oldest first. `times` has the events' timestamps. */
const ids: readonly string[] = Array.from({ length: 5 }, () => randomUUID());
let times: string[];

beforeAll(async () => {
  tenant = await makeTenant(stack);
  key = await tenant.createKey('wrapped');
  for (const id of ids) await tenant.api.send('POST', `/v1/keys/${key}/wrap`, {}, { headers: { 'x-request-id': id } });
  times = (await eventsOfKey(tenant.api, key))
    .map(({ ts }) => ts)
    .toReversed()
    .slice(1);
});

const ask = (query: string): Promise<Answer> => tenant.api.send('GET', `/v1/keys/${key}/audit${query}`);
/** Returns the events that a query selects, as indexes into `ids`. The creation of the key has the index -1. */
const select = async (query: string) =>
  read(z.array(eventObject), await ask(query)).map(({ request_id }) => ids.indexOf(String(request_id)));
const at = (index: number) => times[index] ?? '';

test('since includes an event at exactly the given time, and until excludes such an event', async () => {
  expect(await select(`?since=${at(2)}`)).toEqual([4, 3, 2]);
  expect(await select(`?until=${at(2)}`)).toEqual([1, 0, -1]);
  expect(await select(`?since=${at(1)}&until=${at(3)}`)).toEqual([2, 1]);
  expect(await select(`?since=${at(1)}&until=${at(1)}`)).toEqual([]);
  expect(await select(`?since=${at(3)}&until=${at(1)}`)).toEqual([]);
});

test('since and until accept a time with a fraction of a microsecond', async () => {
  const justAfter = at(2).replace('Z', '001Z');
  expect(await select(`?since=${justAfter}`)).toEqual([4, 3]);
  expect(await select(`?until=${justAfter}`)).toEqual([2, 1, 0, -1]);
});

test.each([
  ['ahead of UTC, with a literal plus sign', '+02:00', 2],
  ['ahead of UTC, with an encoded plus sign', '%2B02:00', 2],
  ['behind UTC', '-07:00', -7],
  ['of zero', '%2B00:00', 0],
])('since and until accept an offset %s', async (_, written, hours) => {
  const local = new Date(Date.parse(at(2)) + hours * 3_600_000).toISOString().slice(0, 19);
  const bound = `${local}${at(2).slice(19, 26)}${written}`;
  expect(await select(`?since=${bound}`)).toEqual([4, 3, 2]);
  expect(await select(`?until=${bound}`)).toEqual([1, 0, -1]);
});

test('an audit query with a limit of n returns the n newest events', async () => {
  expect(await select('?limit=1')).toEqual([4]);
  expect(await select('?limit=3')).toEqual([4, 3, 2]);
  expect(await select(`?limit=2&until=${at(3)}`)).toEqual([2, 1]);
  expect(await select('?limit=1000')).toHaveLength(6);
});

test('the limit of an audit query is 100 by default and can be up to 1,000', async () => {
  const { client } = await tenant.mint();
  const busy = await tenant.createKey('wrapped');
  for (let batch = 0; batch < 11; batch++) {
    const answers = Array.from({ length: 10 }, () =>
      client.send('POST', `/v1/keys/${busy}/decrypt`, { ciphertext: 'AAAA' }),
    );
    expect(new Set((await Promise.all(answers)).map(outcome))).toEqual(new Set(['400 invalid_ciphertext']));
  }
  const count = async (query: string) =>
    read(z.array(eventObject), await tenant.api.send('GET', `/v1/keys/${busy}/audit${query}`)).length;
  expect([await count(''), await count('?limit=101'), await count('?limit=1000')]).toEqual([100, 101, 111]);
});
