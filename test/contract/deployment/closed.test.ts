import { expect, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { everyRoute } from '../../../functions/routes.ts';
import { CLOSED } from '../../../shared/http/routing.ts';
import { control } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { sealAudit } from '../../support/steer.ts';

const stack = ownStack('--closed');

/** Sends a request without `send`, which expects answers of an open service, as in the OpenAPI document. */
async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${stack.baseUrl}${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const routes = everyRoute({ identity: true, billing: true, transit: true, sealing: true })
  .filter(({ path }) => path !== '/health')
  .map(({ method, path }) => ({ method, path: path.replace(/\{.*?\}/, 'x') }));
const UNKNOWN = [
  { method: 'GET', path: '/v1/nothing' },
  { method: 'PUT', path: '/v1/keys' },
];

test('a closed service refuses every request except GET /health with 503, in the error format of the route', async () => {
  const token = String(Object((await control(stack, 'GET', '/')).body).demo.api_key);
  for (const { method, path } of [...routes, ...UNKNOWN]) {
    const { status, headers, body } = await ask(method, path, { authorization: `Bearer ${token}` });
    const request_id = headers.get('x-request-id');
    const isVault = /^\/v1\/(transit|auth\/token)\//.test(path);
    const expected = isVault
      ? { errors: [`unavailable: ${CLOSED}`] }
      : { error: 'unavailable', message: CLOSED, request_id };
    expect({ method, path, status, body }).toEqual({ method, path, status: 503, body: expected });
  }
});

test('a closed service is healthy but not ready', async () => {
  expect(await ask('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await ask('GET', '/health/ready')).toMatchObject({ status: 503, body: { error: 'unavailable' } });
});

test('a closed service answers CORS preflight requests, so that the console can read why a request is refused', async () => {
  const origin = consoleOriginOf(portsOf(stack));
  const preflight = await ask('OPTIONS', '/v1/me', { origin, 'access-control-request-method': 'GET' });
  expect(preflight).toMatchObject({ status: 204 });
  const refused = await ask('GET', '/v1/me', { origin });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
});

test('a closed service still runs scheduled jobs', async () => {
  expect(await sealAudit(stack)).toMatchObject({ failed: 0 });
  expect((await control(stack, 'POST', '/scheduled/destroy-due-keys')).status).toBe(200);
});
