import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stack } from '../../emulators/stack/stack.ts';
import { startStack } from '../../emulators/stack/start-stack.ts';
import { asDemo, call, control, mintToken } from './stack-client.ts';

// What `emulators/README.md` promises and no other test needs. All contract tests use the rest of the control API.

const features = { billing: true, console: true, wrappedRoot: true, transit: true };
const ephemeral = { ...features, port: 21_080, dir: undefined };
const created = z.object({ id: z.string(), created_at: z.string() });
const plaintext = Buffer.from('hello').toString('base64');
let stack: Stack;

beforeAll(async () => {
  stack = await startStack(ephemeral);
}, 60_000);
afterAll(() => stack?.stop(), 60_000);

const createKey = async (name: string) =>
  created.parse((await asDemo(stack, 'POST', '/v1/keys', { name, tier: 'wrapped' })).body);
const encrypt = () => asDemo(stack, 'POST', `/v1/keys/${stack.overview.demo.key_id}/encrypt`, { plaintext });

test('the overview says where the stack is, and its demo tenant has a key that can encrypt', async () => {
  expect(await control(stack, 'GET', '/')).toEqual({ status: 200, body: stack.overview });
  expect(stack.overview).toMatchObject({
    base_url: 'http://127.0.0.1:21080',
    demo: { api_key_id: expect.any(String), container_id: expect.any(String), subject: 'demo' },
  });
  const { body } = await asDemo(stack, 'GET', '/v1/keys');
  expect(body).toMatchObject([{ id: stack.overview.demo.key_id, name: 'demo', tier: 'free', state: 'active' }]);
  expect((await encrypt()).status).toBe(200);
});

test('a second stack does not start on the same ports', async () => {
  await expect(startStack(ephemeral)).rejects.toThrow('Port 21080 (service) is in use');
});

test('the control API answers an unknown or invalid request with an error', async () => {
  const noKey = { key_id: '00000000-0000-4000-8000-000000000000', period: '2026-10', ops: 1 };
  const answers = [
    ['GET', '/nope', undefined, 404],
    ['DELETE', '/clock', undefined, 405],
    ['POST', '/faults', { kms: 'slow' }, 400],
    ['POST', '/faults', { moon: 'down' }, 400],
    ['POST', '/usage', noKey, 404],
  ] as const;
  for (const [method, path, body, status] of answers) {
    expect(await control(stack, method, path, body)).toEqual({ status, body: { error: expect.any(String) } });
  }
  const refusal = { status: 400, body: { error: 'now: Invalid ISO datetime' } };
  expect(await control(stack, 'POST', '/clock', { now: 'noon' })).toEqual(refusal);
});

test('the service has the stack’s clock, which returns to real time, and survives a crash of the service like the faults', async () => {
  const set = await control(stack, 'POST', '/clock', { now: '2027-10-31T23:00:00.000001Z' });
  expect(set.body).toEqual({ now: expect.stringMatching(/^2027-10-31T23:00:\d{2}\.\d{6}Z$/) });
  expect((await createKey('future')).created_at).toMatch(/^2027-10-31T23:00:/);
  await control(stack, 'POST', '/faults', { audit_rows: 'down' });
  await stack.crashService();
  expect((await encrypt()).status).toBe(500);
  await control(stack, 'POST', '/faults', { audit_rows: null });
  expect((await createKey('after the crash')).created_at).toMatch(/^2027-10-31T23:/);
  await control(stack, 'POST', '/clock', { now: null });
  const { created_at } = await createKey('present');
  expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(3_600_000);
});

test('a token for the subject demo belongs to the demo tenant, expires by the service’s clock, and can be made invalid', async () => {
  const me = (token: string) => call('GET', `${stack.overview.base_url}/v1/me`, { token });
  const { body } = await me(await mintToken(stack, { sub: 'demo', email: 'demo@example.com' }));
  expect(body).toMatchObject({ user: { email: 'demo@example.com' }, tenant: { id: stack.overview.demo.tenant_id } });
  const token = await mintToken(stack, { sub: 'demo', expires_in: 60 });
  await control(stack, 'POST', '/clock', { now: new Date(Date.now() + 3_600_000).toISOString() });
  expect((await me(token)).status).toBe(401);
  expect((await me(await mintToken(stack, { sub: 'demo' }))).status).toBe(200);
  await control(stack, 'POST', '/clock', { now: null });
  for (const invalid of [{ audience: 'other' }, { issuer: 'https://other.example' }, { signed_by: 'stranger' }]) {
    expect((await me(await mintToken(stack, { sub: 'demo', ...invalid }))).status).toBe(401);
  }
});

test('each fault stays set until it is cleared', async () => {
  const none = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };
  const set = { ...none, stripe: { delay_ms: 5 } };
  for (const [change, faults] of [
    [{ stripe: { delay_ms: 5 } }, set],
    [{}, set],
    [{ stripe: null }, none],
  ]) {
    expect((await control(stack, 'POST', '/faults', change)).body).toEqual(faults);
  }
});

test('a key’s usage can be set to any count, and counting continues from there', async () => {
  const { id } = await createKey('counted');
  const period = String(Object((await control(stack, 'GET', '/clock')).body).now).slice(0, 7);
  await control(stack, 'POST', '/usage', { key_id: id, period, ops: 49_999 });
  await asDemo(stack, 'POST', `/v1/keys/${id}/encrypt`, { plaintext });
  const { body } = await asDemo(stack, 'GET', `/v1/usage?period=${period}`);
  expect(body).toContainEqual(expect.objectContaining({ key_id: id, ops: 50_000 }));
});
