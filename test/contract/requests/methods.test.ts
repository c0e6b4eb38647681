import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { sendBytes, sendRaw } from '../../support/raw.ts';
import { expectRefusalInFront } from '../../support/refusal.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
/** Methods that OpenAPI cannot describe. So a gateway, which is configured with OpenAPI, refuses these methods itself. */
const UNNAMED = ['TRACE', 'PROPFIND', 'QUERY'];
let authorization: string;
beforeAll(async () => {
  authorization = `authorization: Bearer ${(await makeTenant(stack)).api.token}`;
});

test.each(UNNAMED)('the method %s gets 405, from the gateway if there is one', async (method) => {
  expectRefusalInFront(await sendRaw(stack, `${method} /v1/keys`), '405 method_not_allowed');
});

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
