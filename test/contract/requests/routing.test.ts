import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { outcome } from '../../support/client.ts';
import { sendBytes, sendRaw } from '../../support/raw.ts';
import { expectGatewayRefusal, expectRefusal, expectRefusalInFront } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let keyId: string;
let authorization: string;
let console: string;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  keyId = await tenant.createKey('wrapped');
  authorization = `authorization: Bearer ${tenant.api.token}`;
  console = `authorization: Bearer ${tenant.console.token}`;
});

/**
 * A description and a target that is not a route. If a gateway does not pass the target on unchanged, the third item is
 * the path that it passes on, or 400 if it refuses the target. `{key}` is replaced with the id of a key.
 */
const NO_ROUTES: readonly [string, string, (string | 400)?][] = [
  ['the root', '/'],
  ['a prefix of routes', '/v1'],
  ['another version', '/v2/keys'],
  ['no version', '/keys'],
  ['the icon that browsers ask for', '/favicon.ico'],
  ['the file that crawlers ask for', '/robots.txt'],
  ['a path of the functions framework', '/_ah/warmup'],
  ['a trailing slash', '/v1/keys/'],
  ['a trailing slash after an id', '/v1/keys/{key}/'],
  ['a trailing slash before a query', '/v1/usage/?period=2026-01'],
  ['a doubled slash', '/v1//keys', '/v1/keys'],
  ['a doubled slash at the start', '//v1/keys', '/v1/keys'],
  ['a doubled slash before an operation', '/v1/keys/{key}//audit', '/v1/keys/{key}/audit'],
  ['a dot segment', '/v1/./keys', '/v1/keys'],
  ['a dot segment at the end', '/v1/keys/.', '/v1/keys/'],
  ['a double-dot segment', '/v1/keys/../keys', '/v1/keys'],
  ['a double-dot segment out of the root', '/../v1/keys', '/v1/keys'],
  ['an escaped dot segment', '/v1/%2e/keys', '/v1/keys'],
  ['an escaped double-dot segment', '/v1/keys/%2E%2e/keys', '/v1/keys'],
  ['an undecodable escape', '/v1/keys/%zz'],
  ['a truncated escape', '/v1/keys/%'],
  ['an escape that is not UTF-8', '/v1/keys/%ff'],
  ['an overlong escape', '/v1/keys/%c0%af'],
  ['an escaped slash', '/v1%2Fkeys'],
  ['a backslash', '/v1\\keys', '/v1/keys'],
  ['an uppercase path', '/V1/keys'],
  ['an uppercase letter in a collection', '/v1/Keys'],
  ['an uppercase letter in an operation', '/v1/keys/{key}/Audit'],
  ['an unknown operation', '/v1/keys/{key}/sign'],
  ['a segment after an operation', '/v1/keys/{key}/audit/x'],
  ['a path parameter', '/v1/keys;v=1'],
  ['a fragment', '/v1/keys#x', 400],
  ['a file extension', '/v1/keys.json'],
  ['an absolute target of another scheme', 'ftp://127.0.0.1/v1/keys', 400],
  ['an absolute target without a host', 'http:///v1/keys', 400],
  ['an absolute target without a path', 'http://127.0.0.1', '/'],
  ['an absolute target whose path is not a route', 'http://127.0.0.1/v1//keys', '/v1/keys'],
];

const withKey = (text: string) => text.replace('{key}', keyId);

describe.each(NO_ROUTES)('a request target that is not a route (%s)', (_, target, atGateway) => {
  test.each(['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS'])(
    'the method %s gets 404, with and without a credential',
    async (method) => {
      for (const headers of [[], [authorization], ['authorization: Bearer esk_x']]) {
        const answer = await sendRaw(stack, withKey(`${method} ${target}`), headers);
        if (DEPLOYED && atGateway === 400) {
          expectGatewayRefusal(answer, 400);
        } else if (DEPLOYED && atGateway !== undefined) {
          const plain = await sendRaw(stack, withKey(`${method} ${atGateway}`), headers);
          expect([outcome(answer), Object(answer.body).message]).toEqual([outcome(plain), Object(plain.body).message]);
        } else {
          expectRefusal(answer, '404 not_found');
          expect(answer.body).toMatchObject({ message: 'not found' });
        }
      }
    },
  );
});

test('OPTIONS * is refused with 404, or with 400 by a gateway', async () => {
  const answer = await sendRaw(stack, 'OPTIONS *');
  if (DEPLOYED) expectGatewayRefusal(answer, 400);
  else expectRefusal(answer, '404 not_found');
});

test('the query string does not affect which route a path matches', async () => {
  for (const query of ['?', '?x=1', '?x=/v1//y/../', '?%zz']) {
    expect((await sendRaw(stack, `GET /v1/keys${query}`, [authorization])).status, query).toBe(200);
  }
});

test.each(['http://127.0.0.1', 'http://example.com:81', 'HTTPS://example.com', 'http://user@example.com'])(
  'a target that is a URL matches the route of its path, whatever its origin: %s (RFC 9112 §3.2.2)',
  async (origin) => {
    expectRefusal(await sendRaw(stack, `GET ${origin}/v1/keys`), '401 unauthorized');
    expect((await sendRaw(stack, `GET ${origin}/v1/keys?x=1`, [authorization])).status).toBe(200);
    expectRefusal(await sendRaw(stack, `GET ${origin}/v1/audit?limit=x`, [console]), '400 invalid_query');
  },
);

test('an id that is not exactly a UUID is refused with 404, after the credential', async () => {
  for (const id of [
    ...[keyId.replaceAll('-', ''), `%7B${keyId}%7D`, `urn:uuid:${keyId}`, `${keyId}0`, keyId.slice(0, -1)],
    ...[`%20${keyId}`, `${keyId}%0A`, keyId.replaceAll('-', '%E2%80%90'), `g${keyId.slice(1)}`, '%00'],
  ]) {
    expectRefusal(await sendRaw(stack, `GET /v1/keys/${id}`, [authorization]), '404 not_found');
    expectRefusal(await sendRaw(stack, `GET /v1/keys/${id}`), '401 unauthorized');
  }
  expectRefusal(await sendRaw(stack, `GET /v1/keys/${keyId}%2Faudit`, [authorization]), '404 not_found');
});

/** OpenAPI cannot describe these methods, so a gateway, which is configured with OpenAPI, refuses them itself. */
test.each(['TRACE', 'PROPFIND', 'QUERY'])(
  'the method %s gets 405, from the gateway if there is one',
  async (method) => {
    expectRefusalInFront(await sendRaw(stack, `${method} /v1/keys`), '405 method_not_allowed');
  },
);

test('CONNECT is refused with an answer, not by closing the connection', async () => {
  const answer = await sendBytes(stack, ['CONNECT 127.0.0.1:443 HTTP/1.1', 'host: 127.0.0.1', '', '']);
  expectRefusalInFront(answer, '404 not_found');
});

test.each([
  ['without a credential', '/v1/keys', 401],
  ['for an unknown key', `/v1/keys/${randomUUID()}`, 404],
  ['for an unknown path', '/v1/nothing', 404],
])('a HEAD request %s is refused like GET, without a body', async (_, path, status) => {
  const head = await sendRaw(stack, `HEAD ${path}`, status === 401 ? [] : [authorization]);
  expect([head.status, head.text]).toEqual([status, '']);
  expect(head.headers.get('content-type')).toBe('application/json');
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const JSON_TYPE = 'content-type: application/json';

const ANSWERS = [
  ['200', 'GET /v1/keys', [], ''],
  ['201', 'POST /v1/keys', [JSON_TYPE], () => JSON.stringify({ name: randomUUID(), tier: 'wrapped' })],
  ['400', 'POST /v1/keys', [JSON_TYPE], '{'],
  ['400', 'GET /v1/usage?period=x', [], ''],
  ['403', 'GET /v1/me', [], ''],
  ['404', 'GET /v1/nothing', [], ''],
  ['404', 'GET /v1/keys/{unknown}', [], ''],
  ['405', 'PUT /v1/keys', [], ''],
  ['409', 'POST /v1/keys/{key}/restore', [], ''],
  ['413', 'POST /v1/keys', [JSON_TYPE], ' '.repeat(131_073)],
  ['415', 'POST /v1/keys', [], '{}'],
  ['200', 'GET /health', [], ''],
  ['200', 'GET /health/ready', [], ''],
  ['200', 'GET /v1/openapi.json', [], ''],
  ['400', 'POST /v1/webhooks/stripe', [JSON_TYPE], '{}'],
  ['204', 'OPTIONS /v1/keys', [`origin: ${consoleOriginOf(portsOf(stack))}`, 'access-control-request-method: GET'], ''],
] as const;

test.each(ANSWERS)(
  'a %s answer to %s repeats a valid x-request-id, and replaces a missing or invalid one with a UUID',
  async (status, call, own, payload) => {
    async function ask(...ids: readonly string[]) {
      const start = call.replace('{unknown}', randomUUID()).replace('{key}', keyId);
      const body = typeof payload === 'string' ? payload : payload();
      const headers = [...own, ...ids, `content-length: ${body.length}`, authorization];
      const answer = await sendRaw(stack, start, headers, body);
      expect(String(answer.status)).toBe(status);
      if (answer.status >= 400) expect(answer.body).toMatchObject({ request_id: answer.headers.get('x-request-id') });
      return answer.headers.get('x-request-id');
    }

    expect(await ask('x-request-id: A-Z_a.z:09')).toBe('A-Z_a.z:09');
    expect(await ask()).toMatch(UUID);
    expect(await ask('x-request-id: a b')).toMatch(UUID);
    expect(await ask('x-request-id: one', 'x-request-id: two')).toMatch(UUID);
  },
);

const head = (line: string, ...fields: readonly string[]) => [
  `${line} HTTP/1.1`,
  ...fields,
  'connection: close',
  '',
  '',
];
test.each([
  ['a line that is not a request', 'gateway', ['garbage', '', '']],
  ['a header without a colon', 'gateway', head('GET /v1/keys', 'host: x', 'bad header')],
  ['a space in the target', 'gateway', head('GET /v1/ke ys', 'host: x')],
  ['a head of 20 kB', 'service', head('GET /v1/keys', 'host: x', `a: ${'x'.repeat(20_000)}`)],
  ['a request with two lengths', 'gateway', head('POST /v1/keys', 'host: x', 'content-length: 2', 'content-length: 3')],
  ['a request without a host', 'gateway', head('GET /v1/keys')],
])('%s is refused with 400 in the standard error body, unless a gateway answers first', async (_, first, lines) => {
  const answer = await sendBytes(stack, lines);
  if (DEPLOYED && first === 'gateway') expectGatewayRefusal(answer, 400);
  else expectRefusal(answer, '400 invalid_request');
});

test.each(['expect: something-else', 'upgrade: websocket'])('the header %s is ignored', async (header) => {
  const answer = await sendRaw(stack, 'GET /v1/keys', [header, 'x-request-id: mine']);
  expectRefusal(answer, '401 unauthorized');
  expect(answer.body).toMatchObject({ request_id: 'mine' });
});
