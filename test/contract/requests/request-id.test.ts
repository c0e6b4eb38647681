import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { sendBytes, sendRaw } from '../../support/raw.ts';
import { expectGatewayRefusal, expectRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let keyId: string;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('wrapped');
});
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
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

describe.each(ANSWERS)('the request id of a %s answer to %s', (status, call, own, payload) => {
  async function ask(...ids: readonly string[]) {
    const start = call.replace('{unknown}', randomUUID()).replace('{key}', keyId);
    const body = typeof payload === 'string' ? payload : payload();
    const headers = [...own, ...ids, `content-length: ${body.length}`, `authorization: Bearer ${tenant.api.token}`];
    const answer = await sendRaw(stack, start, headers, body);
    expect(String(answer.status)).toBe(status);
    if (answer.status >= 400) expect(answer.body).toMatchObject({ request_id: answer.headers.get('x-request-id') });
    return answer.headers.get('x-request-id');
  }

  test('the answer repeats a valid x-request-id, and replaces a missing or invalid one with a UUID', async () => {
    expect(await ask('x-request-id: A-Z_a.z:09')).toBe('A-Z_a.z:09');
    expect(await ask()).toMatch(UUID);
    expect(await ask('x-request-id: a b')).toMatch(UUID);
    expect(await ask('x-request-id: one', 'x-request-id: two')).toMatch(UUID);
  });
});

test('a 401 answer repeats the x-request-id of the client', async () => {
  const answer = await sendRaw(stack, 'GET /v1/keys', ['x-request-id: mine']);
  expectRefusal(answer, '401 unauthorized');
  expect(answer.body).toMatchObject({ request_id: 'mine' });
});

test('the service generates different request ids, and accepts the same x-request-id twice', async () => {
  const first = await sendRaw(stack, 'GET /health');
  const second = await sendRaw(stack, 'GET /health');
  expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'));
  for (let time = 1; time <= 2; time++) {
    expect((await sendRaw(stack, 'GET /health', ['x-request-id: same'])).headers.get('x-request-id')).toBe('same');
  }
});

test.each([
  ['a line that is not a request', 'gateway', ['garbage', '', '']],
  [
    'a header without a colon',
    'gateway',
    ['GET /v1/keys HTTP/1.1', 'host: x', 'connection: close', 'bad header', '', ''],
  ],
  ['a space in the target', 'gateway', ['GET /v1/ke ys HTTP/1.1', 'host: x', 'connection: close', '', '']],
  [
    'a head of 20 kB',
    'service',
    ['GET /v1/keys HTTP/1.1', 'host: x', 'connection: close', `a: ${'x'.repeat(20_000)}`, '', ''],
  ],
  [
    'a request with two lengths',
    'gateway',
    ['POST /v1/keys HTTP/1.1', 'host: x', 'content-length: 2', 'content-length: 3', '', '{}'],
  ],
  ['a request without a host', 'gateway', ['GET /v1/keys HTTP/1.1', 'connection: close', '', '']],
])('%s is refused with 400 in the standard error body, unless a gateway answers first', async (_, first, lines) => {
  const answer = await sendBytes(stack, lines);
  if (DEPLOYED && first === 'gateway') expectGatewayRefusal(answer, 400);
  else expectRefusal(answer, '400 invalid_request');
});

test('an Expect header other than 100-continue is ignored', async () => {
  const answer = await sendRaw(stack, 'GET /v1/keys', ['expect: something-else', 'x-request-id: mine']);
  expectRefusal(answer, '401 unauthorized');
  expect(answer.body).toMatchObject({ request_id: 'mine' });
});

test('an Upgrade header is ignored', async () => {
  const answer = await sendRaw(stack, 'GET /v1/keys', ['upgrade: websocket']);
  expectRefusal(answer, '401 unauthorized');
});
