import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { BAD_CREDENTIALS, badCredentials } from '../../support/bad-credentials.ts';
import { fillPath, pathOf } from '../../support/calls.ts';
import { goodRequests } from '../../support/good-requests.ts';
import { sendBytes, sendRaw } from '../../support/raw.ts';
import { expectRefusal, expectRefusalInFront } from '../../support/refusal.ts';
import { METHODS_BY_PATH, TABLE } from '../../support/route-table.ts';
import type { GoodRequest } from '../../support/send-good.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { type Client, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
/**
 * Methods that OpenAPI cannot describe. So a gateway, which is configured with OpenAPI, refuses these methods itself.
 */
const UNNAMED = ['TRACE', 'PROPFIND', 'QUERY'];
const isForGateway = (method: string) => DEPLOYED && UNNAMED.includes(method);
const PATHS = [...METHODS_BY_PATH].map(([path, methods], turn) => ({ path, methods, turn }));

const GOOD_CREDENTIALS = [
  'an API key without actions',
  'an API key',
  'a session',
  'a session without a tenant',
] as const;
const CREDENTIALS = [...BAD_CREDENTIALS, ...GOOD_CREDENTIALS];
let tenant: Tenant;
let requests: Readonly<Record<string, GoodRequest>>;
let credentials: Readonly<Record<(typeof CREDENTIALS)[number], Client>>;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  requests = await goodRequests(tenant);
  credentials = {
    ...(await badCredentials(tenant)),
    'an API key without actions': (await tenant.mint({ allowed_actions: [] })).client,
    'an API key': tenant.api,
    'a session': tenant.console,
    'a session without a tenant': await signIn(stack, randomUUID()),
  };
});

const IDS_AND_CREDENTIALS = [randomUUID(), 'x'].flatMap((id) => CREDENTIALS.map((name) => ({ id, name })));
/**
 * Returns every seventh combination of an id and a credential. `turn` shifts the selection, so that neighboring tests
 * use different combinations.
 */
const seventhOf = (turn: number) => IDS_AND_CREDENTIALS.filter((_, at) => (at + turn) % 7 === 0);

/** Returns the header line for a token, or no line without a token. */
function authorization(token: string | undefined): string[] {
  return token === undefined ? [] : [`authorization: Bearer ${token}`];
}

function sorted(allow: string | null): string[] {
  return (allow ?? '').split(', ').sort();
}

describe.each(PATHS)('unsupported methods on $path', ({ path, methods, turn }) => {
  const unsupported = METHODS.filter((method) => !methods.includes(method) && !isForGateway(method));

  test.each(unsupported)(
    '%s gets 405 with the allowed methods, whatever the credential and the id in the path',
    async (method) => {
      for (const { id, name } of seventhOf(turn + METHODS.indexOf(method))) {
        const answer = await sendRaw(stack, `${method} ${fillPath(path, id)}`, authorization(credentials[name].token));
        expect(answer.status, name).toBe(405);
        expect(sorted(answer.headers.get('allow')), name).toEqual([...methods].sort());
        if (method === 'HEAD') expect(answer.text).toBe('');
        else expectRefusal(answer, '405 method_not_allowed');
      }
    },
  );
});

test.each(UNNAMED)('the method %s gets 405, from the gateway if there is one', async (method) => {
  expectRefusalInFront(await sendRaw(stack, `${method} /v1/keys`), '405 method_not_allowed');
});

test('a 405 answer has the message of the specification', async () => {
  const answer = await sendRaw(stack, 'PUT /v1/keys');
  expect(answer.body).toMatchObject({ message: 'method not allowed' });
});

test('CONNECT is refused with an answer, not by closing the connection', async () => {
  const answer = await sendBytes(stack, ['CONNECT 127.0.0.1:443 HTTP/1.1', 'host: 127.0.0.1', '', '']);
  expectRefusalInFront(answer, '404 not_found');
});

describe('HEAD', () => {
  const READS = TABLE.filter(({ call }) => call.startsWith('GET '));

  test.each(READS)('a HEAD request gets the same answer as $call, without the body', async ({ call, credential }) => {
    const { id = '', query = '' } = requests[call] ?? {};
    const path = `${fillPath(pathOf(call), id)}${query}`;
    const { token } = ['none', 'either', 'api_key'].includes(credential) ? tenant.api : tenant.console;
    const get = await sendRaw(stack, `GET ${path}`, authorization(token));
    const head = await sendRaw(stack, `HEAD ${path}`, authorization(token));
    expect(get.status).toBe(200);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
    expect(head.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['without a credential', '/v1/keys', 401],
    ['for an unknown key', `/v1/keys/${randomUUID()}`, 404],
    ['for an unknown path', '/v1/nothing', 404],
  ])('a HEAD request %s is refused like GET, without a body', async (_, path, status) => {
    const head = await sendRaw(stack, `HEAD ${path}`, status === 401 ? [] : authorization(tenant.api.token));
    expect([head.status, head.text]).toEqual([status, '']);
    expect(head.headers.get('content-type')).toBe('application/json');
  });
});
