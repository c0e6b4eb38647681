import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { ROW_SHARDS } from '../../../shared/audit/event.ts';
import { type AuditEvent, eventsOfKey } from '../../support/audit.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { withStore } from '../../support/firestore.ts';
import { eventObject, read } from '../../support/objects.ts';
import { operate } from '../../support/operations.ts';
import { inviteTo, join } from '../../support/team.ts';
import { type Client, makeFirewall, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

let tenant: Tenant;
let other: Client;
let key: string;
let otherKey: string;
let userId: string;
let ids: { readonly own: string; readonly other: string };

beforeAll(async () => {
  tenant = await makeTenant(stack);
  key = await tenant.createKey('wrapped');
  otherKey = await tenant.createKey('wrapped');
  other = (await tenant.mint()).client;
  for (const client of [tenant.api, other]) {
    for (const id of [key, key, otherKey]) await operate(client, id, 'wrap', {});
    await client.send('POST', `/v1/keys/${key}/decrypt`, { ciphertext: 'AAAA' });
  }
  await tenant.console.send('POST', `/v1/keys/${key}/rotate`);
  const all = await eventsAt('/v1/audit');
  await copyToEveryShard(String(all[4]?.id));
  userId = all.find(({ operation }) => operation === 'rotate_key')?.user_id ?? '';
  const wraps = all.filter(({ operation }) => operation === 'wrap').map(({ api_key_id }) => String(api_key_id));
  ids = { own: wraps.at(-1) ?? '', other: wraps[0] ?? '' };
});

/** Stores a copy of an audit row in each shard of the index. All copies have the `ts` of the row. */
async function copyToEveryShard(rowId: string): Promise<void> {
  await withStore(stack, async (store) => {
    const row = await store.doc(`audit/${rowId}`).get();
    const batch = store.batch();
    for (const shard of ROW_SHARDS) batch.create(store.doc(`audit/${randomUUID()}`), { ...row.data(), shard });
    await batch.commit();
  });
}

const events = (answer: Answer): AuditEvent[] => read(z.array(eventObject), answer);
const eventsAt = async (path: string, by = tenant) => events(await by.console.send('GET', path));
/** Returns the URL of the next page from the `Link` header, or undefined on the last page. */
const nextOf = ({ headers }: Answer): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** Reads the page at `path` and all later pages by following the links. Calls `afterPage` after each page. */
async function follow(
  path: string,
  afterPage: () => Promise<unknown> = async () => undefined,
): Promise<AuditEvent[][]> {
  const pages: AuditEvent[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = await tenant.console.send('GET', next);
    pages.push(events(answer));
    next = nextOf(answer);
    await afterPage();
  }
  return pages;
}

const FIELDS = ['operation', 'result', 'key_id', 'api_key_id', 'user_id'] as const;

test('the filters of an audit log combine: an event must match all of them', async () => {
  const all = await eventsAt('/v1/audit?limit=1000');
  const values = { operation: 'wrap', result: 'success', key_id: key, api_key_id: ids.own, user_id: userId };
  for (let set = 0; set < 2 ** FIELDS.length; set++) {
    const given = FIELDS.filter((_, bit) => (set >> bit) & 1);
    const query = new URLSearchParams(Object.fromEntries(given.map((field) => [field, values[field]])));
    const expected = all.filter((event) => given.every((field) => event[field] === values[field]));
    expect([given, await eventsAt(`/v1/audit?${query}`)]).toEqual([given, expected]);
  }
  const both = `?key_id=${key}&result=error&since=${all.at(-1)?.ts}&until=${all[0]?.ts}`;
  expect((await eventsAt(`/v1/audit${both}`)).map(({ error_code }) => error_code)).toEqual([
    'invalid_ciphertext',
    'invalid_ciphertext',
  ]);
});

test('the filter key_id with the id of another tenant’s key selects no events', async () => {
  expect(await eventsAt(`/v1/audit?key_id=${key}`, await makeTenant(stack))).toEqual([]);
});

describe.each(['the tenant’s', 'a key’s'])('the pages of %s log', (whose) => {
  const path = () => (whose === 'a key’s' ? `/v1/keys/${key}/audit` : '/v1/audit');

  test('for any page size, the pages of an audit log contain every row once and in order', async () => {
    const all = await eventsAt(`${path()}?limit=1000`);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ ts }) => ts)).size).toBe(all.length - ROW_SHARDS.length);
    const sortKeys = all.map(({ ts, id }) => `${ts} ${id}`);
    expect(sortKeys).toEqual(sortKeys.toSorted().toReversed());
    for (const limit of [1, 2, all.length - 1, all.length, all.length + 1]) {
      const pages = await follow(`${path()}?limit=${limit}`);
      expect(pages.flat()).toEqual(all);
      expect(pages).toHaveLength(Math.ceil(all.length / limit));
    }
  });

  test('audit rows added during paging do not hide or repeat earlier rows', async () => {
    const earlier = (await eventsAt(`${path()}?limit=1000`)).map(({ id }) => id);
    const pages = await follow(`${path()}?limit=2`, () => operate(tenant.api, key, 'wrap', {}));
    const seen = pages.flat().map(({ id }) => id);
    expect(seen.filter((id) => earlier.includes(id))).toEqual(earlier);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('each page of an audit log except the last has a link to the next page, with the same query parameters', async () => {
    const given = { since: '2020-01-01T00:00:00+02:00', until: '2100-01-01T00:00:00.5Z', limit: '2', colour: 'a&b=ü' };
    const first = await tenant.console.send('GET', `${path()}?${new URLSearchParams(given)}`);
    const next = new URL(nextOf(first) ?? '', stack.baseUrl);
    expect(next.pathname).toBe(path());
    const { cursor, ...repeated } = Object.fromEntries(next.searchParams);
    expect([repeated, typeof cursor]).toEqual([given, 'string']);
    expect((await tenant.console.send('GET', `${path()}?limit=1000`)).headers.get('link')).toBeNull();
  });

  test('a client can change the limit between pages of an audit log', async () => {
    const next = nextOf(await tenant.console.send('GET', `${path()}?limit=2`)) ?? '';
    const rest = await eventsAt(next.replace('limit=2', 'limit=1000'));
    expect(rest).toEqual((await eventsAt(`${path()}?limit=1000`)).slice(2));
  });

  test('a malformed cursor, or a cursor from a query with different filters, is refused with 400', async () => {
    const next = nextOf(await tenant.console.send('GET', `${path()}?limit=2`)) ?? '';
    const cursor = new URL(next, stack.baseUrl).searchParams.get('cursor') ?? '';
    const refused = [
      `${path()}?cursor=`,
      `${path()}?cursor=x`,
      `${path()}?cursor=${cursor.slice(1)}`,
      `${path()}?cursor=${cursor}&cursor=${cursor}`,
      `${path()}?cursor=${cursor}&since=2020-01-01T00:00:00Z`,
      `${path()}?cursor=${cursor}&until=2100-01-01T00:00:00Z`,
      `/v1/audit?cursor=${cursor}&key_id=${otherKey}`,
      `/v1/audit?cursor=${cursor}&result=success`,
      `/v1/keys/${otherKey}/audit?cursor=${cursor}`,
    ];
    for (const target of refused)
      expect([target, outcome(await tenant.console.send('GET', target))]).toEqual([target, '400 invalid_query']);
    const otherTenant = await makeTenant(stack);
    expect(outcome(await otherTenant.console.send('GET', `/v1/audit?cursor=${cursor}`))).toBe('400 invalid_query');
    expect(outcome(await tenant.console.send('GET', `${path()}?cursor=${cursor}`))).toBe('200');
  });
});

test('the link to the next page of an audit log keeps the filters', async () => {
  const query = `?operation=wrap&key_id=${key}&api_key_id=${ids.own}`;
  const all = await eventsAt(`/v1/audit${query}&limit=1000`);
  expect(all.length).toBeGreaterThan(1);
  expect((await follow(`/v1/audit${query}&limit=1`)).flat()).toEqual(all);
});

/** The request ids of the events after the creation of the key, oldest first. `times` has the events' timestamps. */
const requestIds: readonly string[] = Array.from({ length: 5 }, () => randomUUID());
let times: string[];
let timedKey: string;

beforeAll(async () => {
  timedKey = await tenant.createKey('wrapped');
  for (const id of requestIds)
    await tenant.api.send('POST', `/v1/keys/${timedKey}/wrap`, {}, { headers: { 'x-request-id': id } });
  times = (await eventsOfKey(tenant.api, timedKey))
    .map(({ ts }) => ts)
    .toReversed()
    .slice(1);
});

/** Returns the events that a query selects, as indexes into `requestIds`. The creation of the key has the index -1. */
const select = async (query: string) =>
  (await eventsAt(`/v1/keys/${timedKey}/audit${query}`)).map(({ request_id }) =>
    requestIds.indexOf(String(request_id)),
  );
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
  const count = async (query: string) => (await eventsAt(`/v1/keys/${busy}/audit${query}`)).length;
  expect([await count(''), await count('?limit=101'), await count('?limit=1000')]).toEqual([100, 101, 111]);
});

test('GET /v1/audit can be filtered by target_id, and refuses a target_id that is not a UUID', async () => {
  const own = await makeTenant(stack);
  await own.console.send('PATCH', `/v1/api-keys/${own.apiKeyId}`, { name: 'two' });
  const operations = (await eventsAt(`/v1/audit?target_id=${own.apiKeyId}`, own)).map(({ operation }) => operation);
  expect(operations).toEqual(['update_api_key', 'create_api_key']);
  expect(outcome(await own.console.send('GET', '/v1/audit?target_id=x'))).toBe('400 invalid_query');
});

test('the audit log does not record requests that change nothing', async () => {
  const own = await makeTenant(stack);
  const ann = await join(own, 'admin');
  const firewall = { name: 'one', allowed_ips: ['192.0.2.0/24'] };
  const id = await makeFirewall(own, firewall);
  const container = text(await own.console.send('POST', '/v1/containers', { name: 'one' }), 'id');
  const before = await eventsAt('/v1/audit?limit=1000', own);
  for (const [method, path, body] of [
    ['PATCH', `/v1/api-keys/${own.apiKeyId}`, { name: 'test' }],
    ['PATCH', `/v1/api-keys/${own.apiKeyId}`, {}],
    ['PATCH', `/v1/firewalls/${id}`, firewall],
    ['PATCH', `/v1/firewalls/${id}`, {}],
    ['PATCH', `/v1/containers/${container}`, { name: 'one' }],
    ['PATCH', `/v1/members/${ann.id}`, { role: 'admin' }],
    ['PATCH', '/v1/tenant', { name: null }],
    ['GET', '/v1/members', undefined],
    ['POST', '/v1/invitations/preview', { token: (await inviteTo(tenant, 'admin')).token }],
  ] as const) {
    expect([path, (await own.console.send(method, path, body)).status]).toEqual([path, 200]);
  }
  expect(await eventsAt('/v1/audit?limit=1000', own)).toEqual(before);
});
