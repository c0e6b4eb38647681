import http from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { outcome, send } from '../support/client.ts';
import { ownStack } from '../support/own-stack.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = ownStack();
const PLACES = 32;

test('webhooks whose bodies do not come keep out other webhooks alone', async () => {
  const { api } = await makeTenant(stack);
  const url = `${stack.baseUrl}/v1/webhooks/stripe`;
  const slow = Array.from({ length: PLACES }, () => {
    const request = http.request(url, { method: 'POST', headers: { 'content-length': 1_000_000 } });
    request.on('error', () => undefined).write('{');
    return request;
  });
  onTestFinished(() => {
    for (const request of slow) request.destroy();
  });
  const another = async () => outcome(await send('POST', url, { raw: '{}' }));
  await expect.poll(another, { timeout: 30_000 }).toBe('503 unavailable');
  expect(outcome(await api.send('GET', '/v1/keys'))).toBe('200');
});
