import { beforeAll, expect, test } from 'vitest';
import { list, outcome, text } from '../../support/client.ts';
import { apiKeyObject, newApiKeyObject, read } from '../../support/objects.ts';
import { ownStack } from '../../support/own-stack.ts';
import { later, MINUTE_MS, readClock, setClock } from '../../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = ownStack();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

async function made(body: object) {
  const created = await tenant.console.send('POST', '/v1/api-keys', { name: 'short', ...body });
  const { id, token, expires_at } = read(newApiKeyObject, created);
  const change = (body: object) => tenant.console.send('PATCH', `/v1/api-keys/${id}`, body);
  return { id, expires_at, change, client: new Client(stack, token ?? '') };
}

test.each([
  ['2100-01-01T02:00:00.123456789+02:00', '2100-01-01T00:00:00.123457Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
])('an API key can expire at %s, which is shown as %s', async (expires_at, shown) => {
  const apiKey = await made({ expires_at });
  expect(apiKey.expires_at).toBe(shown);
  expect(read(apiKeyObject, await apiKey.change({ expires_at: shown })).expires_at).toBe(shown);
});

test.each([
  '2020-01-01T00:00:00Z',
  '2100-01-01T00:00:00',
  '9999-12-31T23:59:59.9999999Z',
  '9999-12-31T23:59:59-00:01',
  'never',
])('an API key cannot expire at %s', async (expires_at) => {
  const answer = await tenant.console.send('POST', '/v1/api-keys', { name: 'short', expires_at });
  expect(outcome(answer)).toBe('400 invalid_expires_at');
  expect(outcome(await (await made({})).change({ expires_at }))).toBe('400 invalid_expires_at');
});

test('from the time on, an API key is refused like a revoked one, until it gets a later time or none', async () => {
  const start = await readClock(stack);
  const expires_at = later(start, 10 * MINUTE_MS);
  const { id, client, change } = await made({ expires_at });
  expect(outcome(await client.send('GET', '/v1/caller'))).toBe('200');
  await setClock(stack, expires_at);
  expect(outcome(await client.send('GET', '/v1/caller'))).toBe('401 unauthorized');
  expect(text(await client.send('GET', '/v1/caller'), 'message')).toBe('missing or invalid credentials');
  await setClock(stack, later(start, 20 * MINUTE_MS));
  expect(list(await tenant.console.send('GET', '/v1/api-keys')).map((one) => one.id)).toContain(id);
  await setClock(stack, later(start, 9 * MINUTE_MS));
  expect(outcome(await change({ expires_at: later(start, 30 * MINUTE_MS) }))).toBe('200');
  await setClock(stack, later(expires_at, 1_000));
  expect(outcome(await client.send('GET', '/v1/caller'))).toBe('200');
});

test('an API key that has expired is listed, and the time that is stored can be sent again', async () => {
  const start = await readClock(stack);
  const { id, client, change } = await made({ expires_at: later(start, 60_000) });
  await setClock(stack, later(start, 120_000));
  expect(outcome(await client.send('GET', '/v1/caller'))).toBe('401 unauthorized');
  const shown = list(await tenant.console.send('GET', '/v1/api-keys')).find((one) => one.id === id);
  expect(shown?.expires_at).toBe(later(start, 60_000));
  expect(outcome(await change({ expires_at: later(start, 60_000), name: 'renamed' }))).toBe('200');
  expect(outcome(await change({ expires_at: later(start, 59_000) }))).toBe('400 invalid_expires_at');
  expect(outcome(await change({ expires_at: null }))).toBe('200');
  expect(outcome(await client.send('GET', '/v1/caller'))).toBe('200');
});
