import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startFaultProxy } from '../../../emulators/stack/faults.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { CONSOLE_AUDIENCE } from '../../../emulators/stack/service-environment.ts';
import { outcome, send, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { listen, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';
import { AUDIENCE, goodClaims, ISSUER, PROVIDER_KEYS, signed } from '../../support/tokens.ts';

const stack = inject('stack');

test('until the sign-in provider’s keys can be fetched, sessions get 503 and API keys keep working', async () => {
  const { identity } = portsOf(stack);
  const provider = await startFaultProxy({ host: '127.0.0.1', port: identity });
  const service = await startSecondService(stack, {
    IDENTITY_ISSUER: `http://127.0.0.1:${identity}`,
    IDENTITY_AUDIENCE: CONSOLE_AUDIENCE,
    IDENTITY_JWKS_URL: `http://127.0.0.1:${provider.port}/jwks`,
  });
  onTestFinished(async () => {
    await service.stop();
    await provider.stop();
  });
  const { api, console, createKey } = await makeTenant(stack);
  const key = await createKey('wrapped');
  const [apiKey, session] = [new Client(service, api.token), new Client(service, console.token)];
  for (const fault of ['down', { delay_ms: 120_000 }] as const) {
    provider.set(fault);
    const answer = await session.send('GET', '/v1/me');
    expect(outcome(answer)).toBe('503 unavailable');
    expect(text(answer, 'message')).toContain('sign-in provider');
    expect(outcome(await operate(apiKey, key, 'wrap', {}))).toBe('200');
  }
  provider.set(null);
  expect(outcome(await session.send('GET', '/v1/me'))).toBe('200');
  provider.set('down');
  expect(outcome(await session.send('GET', '/v1/me'))).toBe('200');
  expect(outcome(await new Client(service, `${console.token}x`).send('GET', '/v1/me'))).toBe('401 unauthorized');
});

test('if fetching the sign-in provider’s keys failed and the next fetch is slow, a session gets 503 before the deadline', async () => {
  const pendingResponses: ServerResponse[] = [];
  let answer = (response: ServerResponse): unknown => response.writeHead(500).end();
  const provider = createServer((_, response) => answer(response));
  const port = await listen(provider);
  const service = await startSecondService(stack, {
    IDENTITY_ISSUER: ISSUER,
    IDENTITY_AUDIENCE: AUDIENCE,
    IDENTITY_JWKS_URL: `http://127.0.0.1:${port}/jwks`,
  });
  onTestFinished(async () => {
    await service.stop();
    provider.close();
  });
  const token = signed(goodClaims(randomUUID()));
  const ask = () => send('GET', `${service.baseUrl}/v1/me`, { token });
  expect(outcome(await ask())).toBe('503 unavailable');

  answer = (response) => pendingResponses.push(response);
  expect(outcome(await ask())).toBe('503 unavailable');
  // At the deadline, the service would cancel the fetch. It goes on, so that the next caller can use its result.
  expect(pendingResponses.map(({ closed }) => closed)).toEqual([false]);

  const { publicKey } = PROVIDER_KEYS.ES256;
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'ES256', alg: 'ES256', use: 'sig' }];
  answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  for (const response of pendingResponses) answer(response);
  expect(outcome(await ask())).toBe('200');
});
