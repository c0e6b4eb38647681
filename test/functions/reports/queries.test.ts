import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readCursor, writeCursor } from '../../../functions/reports/cursor.ts';
import { tenantWindowQuery, windowQuery } from '../../../functions/reports/window-query.ts';
import { everyRoute } from '../../../functions/routes.ts';
import type { Window } from '../../../shared/audit/window.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import type { Description } from '../../../shared/http/route.ts';
import { OPERATIONS, RECORDABLE } from '../../../shared/operations.ts';
import { asRequest, readSent } from '../../shared/http/exchange.ts';

const tenantId = makeId<TenantId>();
const window: Window = {
  since: makeInstant(1),
  until: makeInstant(9),
  filters: { operation: 'wrap', result: 'error', key_id: makeId(), api_key_id: makeId(), user_id: makeId() },
};
const position = { at: makeInstant(5), id: makeId<never>() };
const cursor = writeCursor(tenantId, window, position);

describe('a cursor', () => {
  test('reading a cursor returns the position that was written', () => {
    expect(readCursor(tenantId, window, cursor)).toEqual(position);
    const open: Window = { since: undefined, until: undefined, filters: {} };
    expect(readCursor(tenantId, open, writeCursor(tenantId, open, position))).toEqual(position);
  });

  test('a cursor is invalid for another tenant, other time bounds or other filters', () => {
    expect(readCursor(makeId(), window, cursor)).toBeUndefined();
    const { filters } = window;
    const others: Window[] = [
      { ...window, since: undefined },
      { ...window, until: makeInstant(10) },
      { ...window, since: window.until, until: window.since },
      { ...window, filters: {} },
      ...Object.keys(filters).map((name) => ({ ...window, filters: { ...filters, [name]: undefined } })),
      { ...window, filters: { ...filters, operation: 'unwrap' } },
      { ...window, filters: { ...filters, key_id: makeId() } },
    ];
    for (const other of others) expect(readCursor(tenantId, other, cursor)).toBeUndefined();
  });

  test('a cursor is invalid if any of its characters is changed, added or removed', () => {
    const changed = [...cursor].map(
      (char, at) => `${cursor.slice(0, at)}${char === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
    );
    for (const text of [
      ...changed,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      '',
    ]) {
      expect(readCursor(tenantId, window, text), text).toBeUndefined();
    }
    expect(readCursor(tenantId, window, randomBytes(40).toString('base64url'))).toBeUndefined();
  });
});

function readFrom(reader: typeof windowQuery | typeof tenantWindowQuery, query: string) {
  return readSent({}, (message) => reader.read(asRequest(message, { query })));
}

/** Matches an `invalid_query` error that names the parameter. */
function refusalOf(name: string) {
  return expect.objectContaining({ code: 'invalid_query', message: expect.stringContaining(name) });
}

/** The parameters as in the OpenAPI document. */
function documented({ query = z.object() }: typeof windowQuery | typeof tenantWindowQuery) {
  return z.toJSONSchema(query).properties;
}

describe('the window of an audit query', () => {
  test('an audit query without parameters has no time bounds and a limit of 100 events', async () => {
    const window = { since: undefined, until: undefined, limit: 100, cursor: undefined };
    expect(await readFrom(windowQuery, '')).toEqual({ ...window, given: new Map() });
  });

  test('an audit query’s time bounds and limit are read from its parameters', async () => {
    const query = 'since=2026-10-31T23:59:59.999999Z&until=2026-11-01T02:00:00%2B02:00&limit=1000';
    expect(await readFrom(windowQuery, query)).toMatchObject({
      since: 1_793_491_199_999_999,
      until: 1_793_491_200_000_000,
      limit: 1000,
    });
  });

  test.each(['1', '99', '1000'])('a limit of %s is accepted', async (limit) => {
    expect(await readFrom(windowQuery, `limit=${limit}`)).toMatchObject({ limit: Number(limit) });
  });

  test.each(['', '0', '-1', '1001', '9999', '10000', '1.5', '1e2', ' 1', '+1', 'x', '0x10', '%D9%A1'])(
    'a limit of "%s" is refused',
    async (limit) => {
      await expect(readFrom(windowQuery, `limit=${limit}`)).rejects.toEqual(refusalOf('limit must be'));
    },
  );

  test.each(['since', 'until'])(
    'the time bound %s is refused if it is not a date-time with an offset',
    async (name) => {
      for (const value of ['', 'x', '2026-10-31', '2026-10-31T00:00:00', '2026-10-31T00:00:00%2002:00', '1793491199']) {
        await expect(readFrom(windowQuery, `${name}=${value}`), value).rejects.toEqual(refusalOf(`${name} must be`));
      }
    },
  );

  test.each(['since', 'until', 'limit', 'cursor', 'unknown'])(
    'the parameter %s is refused if it is repeated',
    async (name) => {
      await expect(readFrom(windowQuery, `${name}=1&${name}=1`)).rejects.toEqual(
        refusalOf(`${name} must appear only once`),
      );
    },
  );

  test.each(['since', 'until'])(
    'the time bound %s is accepted, however far in the past or future it is',
    async (name) => {
      for (const value of ['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z']) {
        expect(await readFrom(windowQuery, `${name}=${value}`), value).toMatchObject({ [name]: expect.any(Number) });
      }
    },
  );

  test('the OpenAPI document has the formats and limits of an audit query’s parameters', () => {
    expect(documented(windowQuery)).toMatchObject({
      since: { format: 'date-time', description: 'Start of the time range, inclusive.' },
      until: { format: 'date-time', description: 'End of the time range, exclusive.' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    });
  });

  test.each(['since', 'until'])('the documented pattern of the time bound %s allows a time-zone offset', (name) => {
    const { pattern } = z.object({ pattern: z.string() }).parse(documented(windowQuery)?.[name]);
    expect('2026-10-31T00:00:00+02:00').toMatch(new RegExp(pattern));
  });

  test('a key’s audit query ignores unknown parameters and the filters of the tenant’s log', async () => {
    const window = await readFrom(windowQuery, 'foo=bar&operation=x&result=x&limit=5');
    expect(window).toMatchObject({ since: undefined, until: undefined, limit: 5 });
    expect(window).not.toHaveProperty('filters');
  });
});

describe('the filters of the tenant’s audit log', () => {
  test.each(OPERATIONS)('the filter for the operation %s is accepted', async (operation) => {
    const window = await readFrom(tenantWindowQuery, `operation=${operation}`);
    expect(window).toMatchObject({ filters: { operation, result: undefined } });
  });

  test.each(['success', 'error'])('the filter for the result %s is accepted', async (result) => {
    expect(await readFrom(tenantWindowQuery, `result=${result}`)).toMatchObject({
      filters: { operation: undefined, result },
    });
  });

  test.each(['operation=', 'operation=sign', 'operation=Encrypt', 'result=', 'result=failed', 'result=Error'])(
    'the filter "%s" is refused',
    async (query) => {
      const [name = ''] = query.split('=');
      await expect(readFrom(tenantWindowQuery, query)).rejects.toEqual(refusalOf(`${name} must be one of`));
    },
  );

  test.each(['key_id', 'api_key_id', 'user_id'])('the filter %s is accepted in upper and lower case', async (name) => {
    const id = 'ABCDEF01-2345-6789-abcd-ef0123456789';
    expect(await readFrom(tenantWindowQuery, `${name}=${id}`)).toMatchObject({ filters: { [name]: id.toLowerCase() } });
  });

  test.each(['key_id', 'api_key_id', 'user_id'])('the filter %s is refused if it is not a UUID', async (name) => {
    for (const value of [
      '',
      'x',
      'abcdef0123456789abcdef0123456789',
      '{abcdef01-2345-6789-abcd-ef0123456789}',
      'null',
    ]) {
      const refused = refusalOf(`${name} must be a UUID`);
      await expect(readFrom(tenantWindowQuery, `${name}=${value}`), value).rejects.toEqual(refused);
    }
  });

  test('the OpenAPI document has the filters of the tenant’s audit log', () => {
    expect(documented(tenantWindowQuery)).toEqual({
      ...documented(windowQuery),
      operation: expect.objectContaining({ type: 'string', enum: [...RECORDABLE] }),
      result: expect.objectContaining({ type: 'string', enum: ['success', 'error'] }),
      key_id: expect.objectContaining({ format: 'uuid' }),
      api_key_id: expect.objectContaining({ format: 'uuid' }),
      user_id: expect.objectContaining({ format: 'uuid' }),
      target_id: expect.objectContaining({ format: 'uuid' }),
    });
  });
});

const routes = everyRoute({ identity: true, billing: true, transit: true, sealing: true });
const reading = routes.filter(({ method, credential }) => method === 'GET' && credential !== 'none');

const ids = (some: readonly Description[]) => some.map(({ id }) => id).sort();

/** Whether a route answers with a list or a report. Short lists inside a single object do not count. */
function lists({ path, answer, paged }: Description): boolean {
  if (paged || answer instanceof z.ZodArray) return true;
  return !path.includes('{') && containsList(answer);
}

function containsList(schema: unknown): boolean {
  if (schema instanceof z.ZodNullable) return containsList(schema.unwrap());
  if (schema instanceof z.ZodObject) {
    // A Transit answer's warnings are few.
    return Object.entries(schema.shape).some(([name, of]) => name !== 'warnings' && containsList(of));
  }
  return (
    schema instanceof z.ZodArray && (schema.element instanceof z.ZodObject || schema.element instanceof z.ZodString)
  );
}

test('one tenant’s simultaneous requests are limited for exactly the routes that answer with a list or a report', () => {
  expect(ids(reading.filter(lists))).toEqual(ids(routes.filter(({ isReport }) => isReport)));
  const known = [
    'list_api_keys',
    'list_firewalls',
    'read_audit',
    'read_key_audit',
    'read_statement',
    'transit_list_keys',
  ];
  expect(ids(reading.filter(lists))).toEqual(expect.arrayContaining(known));
});
