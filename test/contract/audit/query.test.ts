import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventsOfKey } from '../../support/audit.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { eventObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const INVALID = '400 invalid_query';

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

describe('since and until', () => {
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

  test.each([
    '?since=0001-01-01T00:00:00Z',
    '?since=0001-01-01T00:00:00%2B23:59',
    '?until=9999-12-31T23:59:59.999999Z',
    '?until=9999-12-31T23:59:59-23:59',
    '?since=1969-12-31T23:59:59.5Z&until=2400-02-29T00:00:00Z',
    '?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z',
    '?since=2000-01-01t00:00:00z',
  ])('a time window around all events selects all of them: %s', async (query) => {
    expect(await select(query)).toEqual([4, 3, 2, 1, 0, -1]);
  });

  test.each(['?since=9999-12-31T23:59:59Z', '?until=0001-01-01T00:00:00Z', '?until=1970-01-01T00:00:00Z'])(
    'a time window without events selects none: %s',
    async (query) => {
      expect(await select(query)).toEqual([]);
    },
  );

  const MALFORMED = [
    '',
    'yesterday',
    'null',
    '1795000000',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-11-20T10:00Z',
    '2026-11-20T10:00:00.Z',
    '2026-11-20T10:00:00%2B0200',
    '2026-11-20T10:00:00%2B24:00',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:00Z%00',
    '%202026-11-20T10:00:00Z',
    '12026-11-20T10:00:00Z',
    '-2026-11-20T10:00:00Z',
  ];
  test.each(['since', 'until'])('the query parameter %s must be an RFC 3339 date-time with an offset', async (name) => {
    for (const value of MALFORMED) {
      expect([value, outcome(await ask(`?${name}=${value}`))]).toEqual([value, INVALID]);
    }
    expect(outcome(await ask(`?${name}`))).toBe(INVALID);
  });
});

describe('limit', () => {
  test('an audit query with a limit of n returns the n newest events', async () => {
    expect(await select('?limit=1')).toEqual([4]);
    expect(await select('?limit=3')).toEqual([4, 3, 2]);
    expect(await select(`?limit=2&until=${at(3)}`)).toEqual([2, 1]);
    expect(await select('?limit=1000')).toHaveLength(6);
  });

  test.each([
    '',
    '0',
    '-1',
    '1001',
    '99999999999999999999',
    '1.5',
    '1.0',
    '1e2',
    '0x10',
    '%2B5',
    '5%20',
    'ten',
    'NaN',
    'null',
  ])('an audit query with the limit %j gets 400', async (value) => {
    expect(outcome(await ask(`?limit=${value}`))).toBe(INVALID);
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
});

describe('the query string', () => {
  test.each(['?colour=red', '?operation=paint', '?result=', '?Limit=0', '?limits=0', '?', '?&'])(
    'an audit query may have unknown parameters, which are ignored: %s',
    async (query) => {
      expect(await select(query)).toEqual([4, 3, 2, 1, 0, -1]);
    },
  );

  test.each([
    '?limit=5&limit=5',
    '?since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z',
    '?until=2030-01-01T00:00:00Z&limit=1&until=2030-01-01T00:00:00Z',
    '?colour=red&colour=blue',
    '?limit=5&%6Cimit=5',
    '?limit=%',
    '?limit=%zz',
    '?colour=%ff',
    '?%ff=red',
  ])('an audit query with a repeated parameter or invalid percent-encoding is refused: %s', async (query) => {
    expect(outcome(await ask(query))).toBe(INVALID);
  });
});
