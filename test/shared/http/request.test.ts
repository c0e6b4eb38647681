import type { OutgoingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../../shared/config.ts';
import { notFound } from '../../../shared/errors.ts';
import { Checks } from '../../../shared/http/checks.ts';
import { KEY, METERED, NEW_KEY, OBJECT, PLAIN } from '../../../shared/http/kinds.ts';
import { periodQuery } from '../../../shared/http/period-query.ts';
import { query } from '../../../shared/http/query.ts';
import { clientAddress, presentedCredential, singleHeader } from '../../../shared/http/request.ts';
import { requestId } from '../../../shared/http/request-id.ts';
import { traceFields } from '../../../shared/http/trace.ts';
import { MINIMAL } from '../environment.ts';
import { asRequest, readSent } from './exchange.ts';

/** Returns the client’s address as the service reads it behind `hops` proxies from these X-Forwarded-For headers. */
function addressSeen(hops: number, forwarded?: string | string[]): Promise<string | undefined> {
  const config = readConfig({ ...MINIMAL, TRUSTED_PROXY_HOPS: String(hops) });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return readSent({ headers }, (message) => clientAddress(message, config));
}

test.each<[string, number, string | string[] | undefined, string | undefined]>([
  ['no proxy, no header', 0, undefined, '127.0.0.1'],
  ['no proxy, a forged list', 0, '203.0.113.9, 203.0.113.10', '127.0.0.1'],
  ['one proxy', 1, '198.51.100.7', '198.51.100.7'],
  ['one proxy, one forged entry', 1, '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['one proxy, many forged entries', 1, '1.1.1.1, 2.2.2.2, 3.3.3.3, 198.51.100.7', '198.51.100.7'],
  ['one proxy, an IPv6 address', 1, '203.0.113.9, 2001:db8::7', '2001:db8::7'],
  ['one proxy, a repeated header', 1, ['203.0.113.9', '198.51.100.7'], '198.51.100.7'],
  ['two proxies', 2, '198.51.100.7, 10.0.0.1', '198.51.100.7'],
  ['two proxies, one forged entry', 2, '203.0.113.9, 198.51.100.7, 10.0.0.1', '198.51.100.7'],
  ['two proxies, no spaces', 2, '203.0.113.9,198.51.100.7,10.0.0.1', '198.51.100.7'],
  ['two proxies, many spaces', 2, '203.0.113.9 ,  198.51.100.7  , 10.0.0.1', '198.51.100.7'],
  ['two proxies, a repeated header', 2, ['203.0.113.9, 198.51.100.7', '10.0.0.1'], '198.51.100.7'],
  ['two proxies, an empty entry, to whose left no entry is trusted', 2, '203.0.113.9,,10.0.0.1', undefined],
  ['one proxy, no header', 1, undefined, undefined],
  ['two proxies, one entry', 2, '198.51.100.7', undefined],
  ['ten proxies, two entries', 10, '198.51.100.7, 10.0.0.1', undefined],
])(
  'the client’s address is the socket’s peer, or the X-Forwarded-For entry that the first trusted proxy added: %s',
  async (_, hops, forwarded, address) => {
    expect(await addressSeen(hops, forwarded)).toBe(address);
  },
);

test('the credential is read only from the header that the configuration names', async () => {
  const read = (headers: OutgoingHttpHeaders, credentialHeader: 'authorization' | 'x-forwarded-authorization') =>
    readSent({ headers }, (message) => presentedCredential(message, { credentialHeader }, { tokenHeader: undefined }));
  const [own, forwarded] = [{ authorization: 'own' }, { 'x-forwarded-authorization': 'forwarded' }];
  expect(await read({ ...own, ...forwarded }, 'x-forwarded-authorization')).toBe('forwarded');
  expect(await read(own, 'x-forwarded-authorization')).toBeUndefined();
  expect(await read({ ...own, ...forwarded }, 'authorization')).toBe('own');
  expect(await read(forwarded, 'authorization')).toBeUndefined();
});

test.each([
  ['absent', undefined, undefined],
  ['once', 'a', 'a'],
  ['twice with the same value', ['a', 'a'], undefined],
  ['twice with different values', ['a', 'b'], undefined],
])('a header that may occur once has a value only if it occurs once: %s', async (_, sent, value) => {
  const headers = sent === undefined ? {} : { 'x-request-id': sent };
  expect(await readSent({ headers }, (message) => singleHeader(message, 'x-request-id'))).toBe(value);
});

/** The parameters that a route reads from this query string. */
function readParameters(text: string): Promise<Record<string, string>> {
  const reader = query(z.object({}), (parameters) => Object.fromEntries(parameters));
  return readSent({}, (message) => reader.read(asRequest(message, { query: text })));
}

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
  expect(await readParameters(text)).toEqual(parameters);
});

test.each([
  ...['limit=1&limit=2', 'limit=1&limit=1', 'x=1&limit=1&x=1', 'limit=1&%6cimit=2', 'limit&limit', 'limit=%'],
  ...['limit=%zz', 'limit=%ff', '%=1', '__proto__=1&__proto__=2', 'constructor=1&constructor=2'],
])('a query string is refused: %j', async (text) => {
  await expect(readParameters(text)).rejects.toMatchObject({ code: 'invalid_query' });
});

function readPeriod(query: string) {
  return readSent({}, (message) => periodQuery.read(asRequest(message, { query })));
}

test('the period is a month, or missing for the current month', async () => {
  expect(await readPeriod('period=2026-10')).toBe('2026-10');
  expect(await readPeriod('limit=5')).toBeUndefined();
  const refused = { code: 'invalid_period', message: 'period must be a month, as YYYY-MM' };
  for (const text of ['', '2026-13']) {
    await expect(readPeriod(`period=${text}`)).rejects.toEqual(expect.objectContaining(refused));
  }
});

test('a repeated period is refused as an invalid query', async () => {
  const refused = expect.objectContaining({ code: 'invalid_query' });
  await expect(readPeriod('period=2026-10&period=2026-10')).rejects.toEqual(refused);
});

test('the period is documented as a month with a default', () => {
  expect(z.toJSONSchema(periodQuery.query ?? z.object()).properties).toEqual({
    period: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}$',
      description: 'UTC month, as YYYY-MM. The default is the current month.',
    },
  });
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test.each([
  ['one character', 'a'],
  ['128 characters', 'a'.repeat(128)],
  ['every accepted character', 'ABCXYZabcxyz0189_.:-'],
  ['only punctuation', '_.:-'],
  ['a UUID in upper case', '123E4567-E89B-12D3-A456-426614174000'],
])('a valid id from the client is used: %s', (_, header) => {
  expect(requestId(header)).toBe(header);
});

test.each([
  ...[undefined, '', 'a'.repeat(129), 'a b', 'a ', 'a,b', 'a/b', 'a+b', 'a"b', 'a\n', 'a\r\nb', 'a\0', 'é'],
  '\uff11',
])('an invalid id from the client, or two of them, are replaced by a new UUID: %j', (header) => {
  expect(requestId(header)).toMatch(UUID);
  expect(requestId(['a', String(header)])).toMatch(UUID);
});

test('every new request id is different', () => {
  expect(new Set(Array.from({ length: 100 }, () => requestId(undefined))).size).toBe(100);
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OTHER = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = 'b7ad6b7169203331';
const ZEROS = '0'.repeat(32);

function logged(traceId: string, spanId?: string) {
  return { 'logging.googleapis.com/trace': `projects/p/traces/${traceId}`, 'logging.googleapis.com/spanId': spanId };
}

test.each(['00', '01', 'ff'])('trace id and span id are read from traceparent, whatever its flags: %s', (flags) => {
  expect(traceFields('p', { traceparent: `00-${TRACE}-${SPAN}-${flags}` })).toEqual(logged(TRACE, SPAN));
});

test.each([
  ...['', `01-${TRACE}-${SPAN}-01`, `ff-${TRACE}-${SPAN}-01`, `00-${ZEROS}-${SPAN}-01`],
  ...[`00-${TRACE}-${ZEROS.slice(16)}-01`, `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ...[`00-${TRACE.slice(1)}-${SPAN}-01`, `00-${TRACE}0-${SPAN}-01`, `00-${TRACE}-${SPAN.slice(1)}-01`],
  ...[`00-${TRACE}-${SPAN}`, `00-${TRACE}-${SPAN}-01-x`, `00-${TRACE}-${SPAN}-01\n`, ` 00-${TRACE}-${SPAN}-01`],
  ...[`00-${TRACE}-${SPAN}-01, 00-${OTHER}-${SPAN}-01`],
])('a traceparent with %j is ignored', (traceparent) => {
  expect(traceFields('p', { traceparent })).toEqual({});
});

test.each([
  ['only the trace', TRACE, undefined],
  ['a span', `${TRACE}/1`, '0000000000000001'],
  ['a span and options', `${TRACE}/13235353014750950193;o=1`, SPAN],
  ['the largest span', `${TRACE}/18446744073709551615;o=0`, 'ffffffffffffffff'],
  ['a span of 0, which means no span', `${TRACE}/0;o=1`, undefined],
  ['options without a span', `${TRACE};o=1`, undefined],
])('the header x-cloud-trace-context is read, and its span is converted to hexadecimal: %s', (_, header, spanId) => {
  expect(traceFields('p', { 'x-cloud-trace-context': header })).toEqual(logged(TRACE, spanId));
});

test.each([
  ['an empty value', ''],
  ['a trace id of zeros', `${ZEROS}/1`],
  ['a short trace id', `${TRACE.slice(1)}/1`],
  ['upper case', `${TRACE.toUpperCase()}/1`],
  ['a span beyond 64 bits', `${TRACE}/18446744073709551616`],
  ['a span in hexadecimal', `${TRACE}/${SPAN}`],
  ['a negative span', `${TRACE}/-1`],
  ['an empty span', `${TRACE}/;o=1`],
  ['options in words', `${TRACE}/1;o=yes`],
  ['text after the options', `${TRACE}/1;o=1;x`],
  ['a line break at the end', `${TRACE}/1\n`],
])('an x-cloud-trace-context with %s is ignored', (_, header) => {
  expect(traceFields('p', { 'x-cloud-trace-context': header })).toEqual({});
});

test('x-cloud-trace-context is used only if traceparent is malformed or absent', () => {
  const other = { 'x-cloud-trace-context': `${OTHER}/1` };
  expect(traceFields('p', { traceparent: `00-${TRACE}-${SPAN}-01`, ...other })).toEqual(logged(TRACE, SPAN));
  expect(traceFields('p', { traceparent: 'x', ...other })).toEqual(logged(OTHER, '0000000000000001'));
});

test('the trace fields of a log line contain only well-formed ids, whatever the headers contain', () => {
  const valid = [`00-${TRACE}-${SPAN}-01`, `${TRACE}/13235353014750950193;o=1`];
  const nearly = fc
    .tuple(
      fc.constantFrom(...valid),
      fc.nat({ max: 60 }),
      fc.nat({ max: 2 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    .map(([header, at, taken, put]) => header.slice(0, at) + put + header.slice(at + taken));
  const header = fc.oneof(fc.string({ unit: 'binary' }), nearly, fc.array(nearly), fc.constant(undefined));
  fc.assert(
    fc.property(header, header, (traceparent, cloud) => {
      const headers = { 'x-cloud-trace-context': cloud, ...(typeof traceparent === 'string' && { traceparent }) };
      const fields = traceFields('p', headers);
      if (Object.keys(fields).length === 0) return;
      expect(Object.keys(fields)).toEqual(Object.keys(logged(TRACE)));
      expect(fields['logging.googleapis.com/trace']).toMatch(/^projects\/p\/traces\/[0-9a-f]{32}$/);
      expect(fields['logging.googleapis.com/spanId'] ?? SPAN).toMatch(/^[0-9a-f]{16}$/);
    }),
    { numRuns: 2_000 },
  );
});

const CODES = ['not_found'] as const;

test('checks run one after the other, and each gets what the earlier ones have found', async () => {
  const seen: string[] = [];
  const checks = Checks.of<{ readonly begun: string }>()
    .find({ name: 'first', codes: CODES, check: async ({ begun }) => ({ first: `${begun}, first` }) })
    .refuse({ name: 'second', codes: CODES, check: ({ first }) => seen.push(first) })
    .find({ name: 'third', codes: CODES, check: ({ first }) => ({ third: `${first}, third` }) });
  expect(await checks.run({ begun: 'begun' })).toEqual({
    begun: 'begun',
    first: 'begun, first',
    third: 'begun, first, third',
  });
  expect(seen).toEqual(['begun, first']);
  expect(checks.list.map(({ name }) => name)).toEqual(['first', 'second', 'third']);
});

test('the first check that fails decides the error, and no later check runs', async () => {
  const ran: string[] = [];
  const checks = Checks.of<object>()
    .refuse({ name: 'passes', codes: CODES, check: () => ran.push('passes') })
    .refuse({ name: 'fails', codes: CODES, check: () => Promise.reject(notFound()) })
    .refuse({ name: 'never', codes: CODES, check: () => ran.push('never') });
  await expect(checks.run({})).rejects.toMatchObject({ code: 'not_found' });
  expect(ran).toEqual(['passes']);
});

test.each([
  ['a key', KEY],
  ['an operation', METERED],
  ['a new key', NEW_KEY],
  ['an object', OBJECT],
  ['nothing', PLAIN],
])(
  'the checks of routes about %s begin with the credential, and no refusal before the key or the role is recorded',
  (_, { checks }) => {
    expect(checks[0]?.codes).toEqual(['unauthorized']);
    const recorded = checks.map(({ isRecorded }) => isRecorded === true);
    expect(recorded.indexOf(true)).toBeGreaterThan(checks.findIndex(({ codes }) => codes.includes('ip_not_allowed')));
    expect(recorded.slice(recorded.indexOf(true)).every(Boolean)).toBe(true);
  },
);
