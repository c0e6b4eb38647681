import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { fillPath, methodOf, pathOf } from '../../support/cases.ts';
import { control, outcome, send, text } from '../../support/client.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { ROUTES } from '../../support/route-table.ts';
import { ALL_TIERS, Client } from '../../support/tenant.ts';

const stack = ownStack('--no-console');
const ID = randomUUID();

let api: Client;
beforeAll(async () => {
  const { demo } = Object((await control(stack, 'GET', '/')).body);
  api = new Client(stack, String(demo.api_key));
});

const CONSOLE_ROUTES = ROUTES.filter(({ call, credential }) => {
  return ['console', 'newcomer'].includes(credential) || /sign-in|webhooks/.test(call);
});

test.each(CONSOLE_ROUTES)('without an identity provider $call is not a route', async ({ call }) => {
  for (const token of [api.token, 'not-a-token', undefined]) {
    const answer = await send(methodOf(call), `${stack.baseUrl}${fillPath(pathOf(call), ID)}`, { token });
    expect([outcome(answer), text(answer, 'message')]).toEqual(['404 not_found', 'not found']);
  }
});

test('without an identity provider a CORS preflight request is refused with 405', async () => {
  const headers = { origin: consoleOriginOf(portsOf(stack)), 'access-control-request-method': 'GET' };
  const answer = await send('OPTIONS', `${stack.baseUrl}/v1/keys`, { headers });
  expect([outcome(answer), answer.headers.get('access-control-allow-origin')]).toEqual([
    '405 method_not_allowed',
    null,
  ]);
});

test('without an identity provider the access token of a session is refused with 401', async () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'https://issuer.example', aud: 'console', sub: 'someone', iat: now, exp: now + 600 };
  for (const signature of [randomUUID(), '']) {
    const token = `${part({ alg: signature === '' ? 'none' : 'RS256', kid: '1' })}.${part(claims)}.${signature}`;
    const answer = await new Client(stack, token).send('GET', '/v1/keys');
    expect(outcome(answer)).toBe('401 unauthorized');
  }
});

test.each(ALL_TIERS)(
  'without an identity provider an API key can create, use, rotate, delete and restore %s keys',
  async (tier) => {
    const created = await api.send('POST', '/v1/keys', { name: randomUUID(), tier });
    expect(outcome(created)).toBe('201');
    const key = text(created, 'id');
    const bodies = await bodiesFor(api, key);
    const answers = [];
    for (const operation of METERED) answers.push(await operate(api, key, operation, bodies[operation]));
    for (const [method, suffix, body] of [
      ['GET', ''],
      ['PATCH', '', { name: randomUUID() }],
      ['POST', '/rotate'],
      ['DELETE', ''],
      ['POST', '/restore'],
      ['GET', '/audit'],
    ] as const) {
      answers.push(await api.send(method, `/v1/keys/${key}${suffix}`, body));
    }
    expect(answers.map(outcome)).toEqual(Array(11).fill('200'));
  },
);

test('without an identity provider the service is healthy and ready', async () => {
  expect((await send('GET', `${stack.baseUrl}/health`)).status).toBe(200);
  expect((await send('GET', `${stack.baseUrl}/health/ready`)).status).toBe(200);
});
