import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { expect, inject, onTestFinished, test } from 'vitest';
import { DEADLINES_MS } from '../../shared/config.ts';
import { outcome, send } from '../support/client.ts';
import { listen, startSecondService } from '../support/second-service.ts';
import { AUDIENCE, goodClaims, ISSUER, PROVIDER_KEYS, signed } from '../support/tokens.ts';

test('once the provider’s keys could not be had, sessions are refused soon, not after the deadline, until they can', async () => {
  const held: ServerResponse[] = [];
  let answer = (response: ServerResponse): unknown => response.writeHead(500).end();
  const provider = createServer((_, response) => answer(response));
  const port = await listen(provider);
  const service = await startSecondService(inject('stack'), {
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

  answer = (response) => held.push(response);
  const startedAt = performance.now();
  expect(outcome(await ask())).toBe('503 unavailable');
  expect(performance.now() - startedAt).toBeLessThan(DEADLINES_MS.identity);
  // The fetch goes on, for whoever asks next.
  expect(held.map(({ closed }) => closed)).toEqual([false]);

  const { publicKey } = PROVIDER_KEYS.ES256;
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'ES256', alg: 'ES256', use: 'sig' }];
  answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  for (const response of held) answer(response);
  expect(outcome(await ask())).toBe('200');
});
