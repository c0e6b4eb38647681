import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { ROW_SHARDS } from '../../../shared/audit/event.ts';
import type { AuditEvent } from '../../support/audit.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { eventObject, read } from '../../support/objects.ts';
import { operate } from '../../support/operations.ts';
import { withStore } from '../../support/stored.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const INVALID = '400 invalid_query';

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
  const all = events(await tenant.console.send('GET', '/v1/audit'));
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
  const all = events(await tenant.console.send('GET', '/v1/audit?limit=1000'));
  const values = { operation: 'wrap', result: 'success', key_id: key, api_key_id: ids.own, user_id: userId };
  for (let set = 0; set < 2 ** FIELDS.length; set++) {
    const given = FIELDS.filter((_, bit) => (set >> bit) & 1);
    const query = new URLSearchParams(Object.fromEntries(given.map((field) => [field, values[field]])));
    const expected = all.filter((event) => given.every((field) => event[field] === values[field]));
    expect([given, events(await tenant.console.send('GET', `/v1/audit?${query}`))]).toEqual([given, expected]);
  }
  const both = `?key_id=${key}&result=error&since=${all.at(-1)?.ts}&until=${all[0]?.ts}`;
  expect(events(await tenant.console.send('GET', `/v1/audit${both}`)).map(({ error_code }) => error_code)).toEqual([
    'invalid_ciphertext',
    'invalid_ciphertext',
  ]);
});

test('the filter key_id with the id of another tenant’s key selects no events', async () => {
  const otherTenant = await makeTenant(stack);
  expect(events(await otherTenant.console.send('GET', `/v1/audit?key_id=${key}`))).toEqual([]);
});

describe.each(['the tenant’s', 'a key’s'])('the pages of %s log', (whose) => {
  const path = () => (whose === 'a key’s' ? `/v1/keys/${key}/audit` : '/v1/audit');

  test('for any page size, the pages of an audit log contain every row once and in order', async () => {
    const all = events(await tenant.console.send('GET', `${path()}?limit=1000`));
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
    const earlier = events(await tenant.console.send('GET', `${path()}?limit=1000`)).map(({ id }) => id);
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
    const all = events(await tenant.console.send('GET', `${path()}?limit=1000`));
    const next = nextOf(await tenant.console.send('GET', `${path()}?limit=2`)) ?? '';
    const rest = await tenant.console.send('GET', next.replace('limit=2', 'limit=1000'));
    expect(events(rest)).toEqual(all.slice(2));
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
      expect([target, outcome(await tenant.console.send('GET', target))]).toEqual([target, INVALID]);
    const otherTenant = await makeTenant(stack);
    expect(outcome(await otherTenant.console.send('GET', `/v1/audit?cursor=${cursor}`))).toBe(INVALID);
    expect(outcome(await tenant.console.send('GET', `${path()}?cursor=${cursor}`))).toBe('200');
  });
});

test('the link to the next page of an audit log keeps the filters', async () => {
  const query = `?operation=wrap&key_id=${key}&api_key_id=${ids.own}`;
  const all = events(await tenant.console.send('GET', `/v1/audit${query}&limit=1000`));
  expect(all.length).toBeGreaterThan(1);
  expect((await follow(`/v1/audit${query}&limit=1`)).flat()).toEqual(all);
});
