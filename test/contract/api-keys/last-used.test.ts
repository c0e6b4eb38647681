import { once } from 'node:events';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { apiKeyObject, read } from '../../support/objects.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let console: Client;
let mint: Tenant['mint'];
beforeAll(async () => {
  ({ console, mint } = await makeTenant(stack));
});
const LAG_MS = 60_000;
const measured = z.object({ ok: z.object({ trips: z.object({ commit: z.int() }) }) });

const lastUsed = async (id: string) => read(apiKeyObject, await console.send('GET', `/v1/api-keys/${id}`)).last_used_at;

test('last_used_at is null before the first use of an API key and is set within a minute after that use', async () => {
  const before = Date.now();
  const { id, client } = await mint();
  expect(await lastUsed(id)).toBeNull();
  await client.send('GET', '/v1/keys');
  const used = Date.now();
  await expect.poll(() => lastUsed(id), { timeout: LAG_MS }).not.toBeNull();
  const at = Date.parse((await lastUsed(id)) ?? '');
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(used);
});

test('of 20 concurrent requests with one API key, only a few write last_used_at', async () => {
  const { client } = await mint();
  const service = await startSecondService(stack);
  onTestFinished(() => void service.stop());
  const requests = Array.from({ length: 20 }, () => new Client(service, client.token).send('GET', '/v1/keys'));
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  const reply = once(service.child, 'message');
  service.child.send({ id: 1, measure: true });
  const [message] = await reply;
  // A few requests may read the API key before the first write, and then write too.
  expect(measured.parse(message).ok.trips.commit).toBeLessThan(5);
});

test('a request with a wrong secret does not set last_used_at', async () => {
  const { id, client } = await mint();
  const guessing = new Client(stack, withWrongSecret(client.token ?? ''));
  for (let time = 1; time <= 3; time++) {
    expectRefusal(await guessing.send('GET', '/v1/keys'), '401 unauthorized');
  }
  expect(await lastUsed(id)).toBeNull();
});

test('a change of an API key in the console does not set last_used_at', async () => {
  const { id } = await mint();
  await console.send('PATCH', `/v1/api-keys/${id}`, { name: 'renamed' });
  expect(await lastUsed(id)).toBeNull();
});
