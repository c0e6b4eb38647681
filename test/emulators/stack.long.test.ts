import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stack } from '../../emulators/stack/stack.ts';
import { startStack } from '../../emulators/stack/start-stack.ts';
import { asDemo, call, control, mintToken } from './stack-client.ts';

const features = { billing: true, console: true, wrappedRoot: true, transit: true };
const ephemeral = { ...features, port: 21_080, dir: undefined };
const created = z.object({ id: z.string(), created_at: z.string() });
const plaintext = Buffer.from('hello').toString('base64');
let stack: Stack;

beforeAll(async () => {
  stack = await startStack(ephemeral);
}, 60_000);
afterAll(() => stack?.stop(), 60_000);

async function createKey(name: string, tier: string): Promise<z.infer<typeof created>> {
  return created.parse((await asDemo(stack, 'POST', '/v1/keys', { name, tier })).body);
}
function encrypt(keyId = stack.overview.demo.key_id) {
  return asDemo(stack, 'POST', `/v1/keys/${keyId}/encrypt`, { plaintext });
}

describe('a started stack', () => {
  test('the overview says where the stack is and how to try it', async () => {
    expect(await control(stack, 'GET', '/')).toEqual({ status: 200, body: stack.overview });
    expect(stack.overview.base_url).toBe('http://127.0.0.1:21080');
    expect(Object.keys(stack.overview.demo).sort()).toEqual(
      ['api_key', 'api_key_id', 'container_id', 'key_id', 'subject', 'tenant_id'].sort(),
    );
  });

  test('the demo tenant has one free key named demo, which can encrypt', async () => {
    const { body } = await asDemo(stack, 'GET', '/v1/keys');
    expect(body).toMatchObject([{ id: stack.overview.demo.key_id, name: 'demo', tier: 'free', state: 'active' }]);
    expect((await encrypt()).status).toBe(200);
  });

  test('a second stack does not start on the same ports', async () => {
    await expect(startStack(ephemeral)).rejects.toThrow('Port 21080 (service) is in use');
  });

  test('the control API answers an unknown or invalid request with an error', async () => {
    expect(await control(stack, 'GET', '/nope')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(await control(stack, 'DELETE', '/clock')).toMatchObject({
      status: 405,
      body: { error: expect.any(String) },
    });
    expect(await control(stack, 'POST', '/clock', { now: 'noon' })).toEqual({
      status: 400,
      body: { error: 'now: Invalid ISO datetime' },
    });
  });
});

describe('the clock', () => {
  test('the service has the stack’s clock, which runs on and can return to real time', async () => {
    const set = await control(stack, 'POST', '/clock', { now: '2027-10-31T23:00:00.000001Z' });
    expect(set.body).toEqual({ now: expect.stringMatching(/^2027-10-31T23:00:\d{2}\.\d{6}Z$/) });
    expect((await createKey('future', 'wrapped')).created_at).toMatch(/^2027-10-31T23:00:/);
    await control(stack, 'POST', '/clock', { now: null });
    const { created_at } = await createKey('present', 'wrapped');
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(3_600_000);
  });

  test('the clock and the faults survive a crash of the service', async () => {
    await control(stack, 'POST', '/clock', { now: '2027-10-31T23:00:00Z' });
    await control(stack, 'POST', '/faults', { audit_rows: 'down' });
    await stack.crashService();
    expect((await encrypt()).status).toBe(500);
    await control(stack, 'POST', '/faults', { audit_rows: null });
    expect((await createKey('after the crash', 'wrapped')).created_at).toMatch(/^2027-10-31T23:/);
    await control(stack, 'POST', '/clock', { now: null });
  });
});

describe('tokens', () => {
  const me = (token: string) => call('GET', `${stack.overview.base_url}/v1/me`, { token });

  test('a token for the subject demo belongs to the demo tenant', async () => {
    const { body } = await me(await mintToken(stack, { sub: 'demo', email: 'demo@example.com' }));
    expect(body).toMatchObject({ user: { email: 'demo@example.com' }, tenant: { id: stack.overview.demo.tenant_id } });
  });

  test('a token expires by the service’s clock', async () => {
    const token = await mintToken(stack, { sub: 'demo', expires_in: 60 });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await control(stack, 'POST', '/clock', { now: later });
    expect((await me(token)).status).toBe(401);
    expect((await me(await mintToken(stack, { sub: 'demo' }))).status).toBe(200);
    await control(stack, 'POST', '/clock', { now: null });
  });

  test.each([
    { expires_in: -3600 },
    { audience: 'other' },
    { issuer: 'https://other.example' },
    { signed_by: 'stranger' },
  ])('the service refuses a token that was made with %j', async (request) => {
    expect((await me(await mintToken(stack, { sub: 'demo', ...request }))).status).toBe(401);
  });
});

describe('faults', () => {
  const none = { kms: null, pdp: null, idp: null, stripe: null, firestore: null, audit_rows: null };

  test('each fault stays set until it is cleared', async () => {
    expect((await control(stack, 'POST', '/faults', { stripe: { delay_ms: 5 } })).body).toEqual({
      ...none,
      stripe: { delay_ms: 5 },
    });
    expect((await control(stack, 'POST', '/faults', {})).body).toEqual({ ...none, stripe: { delay_ms: 5 } });
    expect((await control(stack, 'POST', '/faults', { stripe: null })).body).toEqual(none);
  });

  test('the service answers 503 while the policy decision point is down', async () => {
    await control(stack, 'POST', '/faults', { pdp: 'down' });
    expect(await encrypt()).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    await control(stack, 'POST', '/faults', { pdp: null });
    expect((await encrypt()).status).toBe(200);
  });

  test('while the KMS is down, only requests that need the KMS fail', async () => {
    const key = await createKey('software', 'software');
    await control(stack, 'POST', '/faults', { kms: 'down' });
    expect((await encrypt(key.id)).status).toBe(500);
    expect((await asDemo(stack, 'GET', `/v1/keys/${key.id}`)).status).toBe(200);
    await control(stack, 'POST', '/faults', { kms: null });
    await expect.poll(async () => (await encrypt(key.id)).status, { timeout: 30_000 }).toBe(200);
  }, 60_000);

  test('the control API refuses an unknown fault', async () => {
    expect((await control(stack, 'POST', '/faults', { kms: 'slow' })).status).toBe(400);
    expect((await control(stack, 'POST', '/faults', { moon: 'down' })).status).toBe(400);
  });
});

describe('usage', () => {
  test('a key’s usage can be set to any count, and counting continues from there', async () => {
    const { id } = await createKey('counted', 'wrapped');
    await encrypt(id);
    const period = String(Object((await control(stack, 'GET', '/clock')).body).now).slice(0, 7);
    await control(stack, 'POST', '/usage', { key_id: id, period, ops: 49_999 });
    await encrypt(id);
    const { body } = await asDemo(stack, 'GET', `/v1/usage?period=${period}`);
    expect(body).toContainEqual(expect.objectContaining({ key_id: id, ops: 50_000 }));
  });

  test('a request to set the usage of a key that does not exist is answered with 404', async () => {
    const count = { key_id: '00000000-0000-4000-8000-000000000000', period: '2026-10', ops: 1 };
    expect((await control(stack, 'POST', '/usage', count)).status).toBe(404);
  });
});

test('a scheduled function can be run through the control API', async () => {
  expect(await control(stack, 'POST', '/scheduled/destroy-due-keys')).toMatchObject({ status: 200 });
  expect(await control(stack, 'POST', '/scheduled/close-month')).toMatchObject({ status: 200 });
});

test('when the control API has answered a request to set a subscription, the service already applies the subscription', async () => {
  const { tenant_id } = stack.overview.demo;
  const { id } = await createKey('paid', 'wrapped');
  await control(stack, 'POST', '/stripe/subscription', { tenant_id, status: 'unpaid' });
  expect(await encrypt(id)).toMatchObject({ status: 402, body: { error: 'billing_required' } });
  await control(stack, 'POST', '/stripe/subscription', { tenant_id, status: 'active' });
  expect((await encrypt(id)).status).toBe(200);
  expect(await control(stack, 'GET', `/stripe/invoices?tenant_id=${tenant_id}`)).toMatchObject({
    status: 200,
    body: { invoices: expect.any(Array) },
  });
});
