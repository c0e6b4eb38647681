import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DEMO_SUBJECT } from '../../emulators/stack/seed.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import type { Stack, StackOptions } from '../../emulators/stack/stack.ts';
import { startStack } from '../../emulators/stack/start-stack.ts';
import { signIn } from '../support/tenant.ts';

/** An answer: its status and its JSON body. */
type Answer = { readonly status: number; readonly body: unknown };

/** Sends JSON and reads JSON. */
async function call(method: string, url: string, options: { token?: string; body?: unknown } = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Calls the control API of the stack. */
function control(stack: Stack, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(method, `${stack.controlUrl}${path}`, { body });
}

/** Sends a request to the service with the demo tenant's API key. */
function asDemo(stack: Stack, method: string, path: string, body?: unknown): Promise<Answer> {
  const { base_url, demo } = stack.overview;
  return call(method, `${base_url}${path}`, { token: demo.api_key, body });
}

/** Gets an access token from the control API. */
async function mintToken(stack: Stack, request: Record<string, unknown>): Promise<string> {
  const { body } = await control(stack, 'POST', '/tokens', request);
  return z.object({ access_token: z.string() }).parse(body).access_token;
}

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

describe('between two runs', () => {
  const port = 22_080;
  const ciphertext = z.object({ ciphertext: z.string() });
  let dir = '';
  let running: Stack | undefined;

  async function start(options: Partial<StackOptions> = {}): Promise<Stack> {
    running = await startStack({ ...features, port, dir, ...options });
    return running;
  }
  const keyPath = (stack: Stack) => `/v1/keys/${stack.overview.demo.key_id}`;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'stack-'));
  });
  afterEach(async () => {
    await running?.stop();
    rmSync(dir, { recursive: true });
  }, 60_000);

  test('the data of a stack survives a restart, even with other options and other ports', async () => {
    const first = await start({ console: false });
    expect(first.overview.demo.subject).toBeNull();
    expect((await control(first, 'POST', '/tokens', { sub: 'demo' })).status).toBe(404);
    const sealed = ciphertext.parse((await asDemo(first, 'POST', `${keyPath(first)}/encrypt`, { plaintext })).body);
    await first.stop();
    expect(statSync(join(dir, 'demo.json')).mode & 0o777).toBe(0o600);

    const second = await start({ port: port + 20 });
    expect(second.overview.demo).toEqual({ ...first.overview.demo, subject: 'demo' });
    const opened = await asDemo(second, 'POST', `${keyPath(second)}/decrypt`, sealed);
    expect(opened).toEqual({ status: 200, body: { plaintext } });
    // The first start had neither billing nor console. At the second start, the tenant must be able to use both.
    expect((await asDemo(second, 'POST', '/v1/keys', { name: 'paid', tier: 'wrapped' })).status).toBe(201);
    const token = await mintToken(second, { sub: 'demo' });
    const me = await fetch(`${second.overview.base_url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ tenant: { id: second.overview.demo.tenant_id } });
  });

  test('a demo tenant whose API key was revoked gets another API key at the next start', async () => {
    const first = await start();
    const { base_url, demo } = first.overview;
    const authorization = `Bearer ${await mintToken(first, { sub: 'demo' })}`;
    const revocation = { method: 'DELETE', headers: { authorization } };
    expect((await fetch(`${base_url}/v1/api-keys/${demo.api_key_id}`, revocation)).status).toBe(204);
    await first.stop();

    const second = await start();
    const { api_key, api_key_id, ...same } = second.overview.demo;
    expect(demo).toMatchObject(same);
    expect(api_key_id).not.toBe(demo.api_key_id);
    expect((await asDemo(second, 'GET', keyPath(second))).status).toBe(200);
  });

  test('a start with --demo that finds a demo tenant adds no activity, and says so; with --fresh, the tenant is new', async () => {
    const { overview, stop } = await start();
    await stop();
    const lines: string[] = [];
    const second = await start({ demoMonth: true, log: (line) => lines.push(line) });
    expect(lines).toContainEqual(expect.stringContaining('--demo adds no activity'));
    expect(second.overview.demo).toEqual(overview.demo);
    await second.stop();
    const third = await start({ fresh: true });
    expect(third.overview.demo.tenant_id).not.toBe(overview.demo.tenant_id);
  });

  test('only one stack at a time can use a data directory, and a refused stack does not disturb the running stack', async () => {
    const stack = await start();
    await expect(startStack({ ...features, port: port + 20, dir, fresh: true })).rejects.toThrow(/^Process \d+ uses/);
    expect((await asDemo(stack, 'GET', keyPath(stack))).status).toBe(200);
  });
});

const DAY_MS = 86_400_000;
const daily = z.array(z.looseObject({ day: z.string() }));
const named = z.array(z.looseObject({ name: z.string() }));
const keys = z.array(z.looseObject({ tier: z.string(), state: z.string() }));
const seals = z.array(z.looseObject({ until: z.string() }));

test('with --demo, the demo tenant has a month of history: keys, API keys, a firewall, daily usage and a sealed log', async () => {
  const stack = await startSeparateStack('--demo');
  try {
    const session = await signIn(stack, DEMO_SUBJECT);
    const get = async (path: string): Promise<unknown> => (await session.send('GET', path)).body;
    const months = [0, 29].map((ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 7));
    const lines = await Promise.all(
      [...new Set(months)].map(async (month) => daily.parse(await get(`/v1/usage/daily?period=${month}`))),
    );
    expect(new Set(lines.flat().map(({ day }) => day)).size).toBe(30);
    const all = keys.parse(await get('/v1/keys'));
    expect(new Set(all.map(({ tier }) => tier))).toEqual(new Set(['free', 'wrapped', 'software', 'hsm']));
    expect(all.some(({ state }) => state === 'pending_deletion')).toBe(true);
    expect(named.parse(await get('/v1/api-keys')).map(({ name }) => name)).toEqual(['demo', 'shop', 'reports']);
    expect(named.parse(await get('/v1/firewalls'))).toHaveLength(1);
    expect(named.parse(await get('/v1/members')).map(({ name }) => name)).toEqual(['Demo', 'Ada']);
    const last = seals.parse(await get('/v1/audit/seals?limit=1000')).at(-1)?.until ?? '';
    expect(Date.now() - Date.parse(last)).toBeLessThan(DAY_MS);
  } finally {
    await stack.stop();
  }
});
