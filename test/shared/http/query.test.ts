import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { query } from '../../../shared/http/query.ts';
import { asRequest, readSent } from './exchange.ts';

/** The parameters that a route reads from this query string. */
function read(text: string): Promise<Record<string, string>> {
  const reader = query(z.object({}), (parameters) => Object.fromEntries(parameters));
  return readSent({}, (message) => reader.read(asRequest(message, { query: text })));
}

describe('the query string', () => {
  test.each([
    ['an empty query string', '', {}],
    ['one parameter', 'limit=7', { limit: '7' }],
    ['several parameters', 'since=a&until=b', { since: 'a', until: 'b' }],
    ['an empty parameter', 'limit=', { limit: '' }],
    ['a parameter without an equals sign', 'limit', { limit: '' }],
    ['an equals sign in the value', 'a=b=c', { a: 'b=c' }],
    ['empty pairs', '&&a=b&', { a: 'b' }],
    ['escapes', 'a=%2B02%3A00&%61b=%C3%A9', { a: '+02:00', ab: 'é' }],
    ['an escaped ampersand', 'a=b%26c%3Dd', { a: 'b&c=d' }],
    ['a plus sign, which is not decoded', 'since=2026-10-01T00:00:00+02:00', { since: '2026-10-01T00:00:00+02:00' }],
  ])('a query string is read: %s', async (_, text, parameters) => {
    expect(await read(text)).toEqual(parameters);
  });

  test.each([
    ['a repeated parameter', 'limit=1&limit=2'],
    ['a parameter repeated with the same value', 'limit=1&limit=1'],
    ['an unknown parameter repeated', 'x=1&limit=1&x=1'],
    ['a parameter repeated in another spelling', 'limit=1&%6cimit=2'],
    ['a parameter repeated without a value', 'limit&limit'],
    ['a truncated escape', 'limit=%'],
    ['an escape that is not hexadecimal', 'limit=%zz'],
    ['an escape that is not UTF-8', 'limit=%ff'],
    ['a truncated escape in a name', '%=1'],
  ])('a query string is refused: %s', async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'invalid_query' });
  });

  test.each(['__proto__=1&__proto__=2', 'constructor=1&constructor=2'])(
    'a repeated parameter is refused, even if its name is a property of every JavaScript object: %s',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({ code: 'invalid_query' });
    },
  );
});
