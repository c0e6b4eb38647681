import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { DEMO_SUBJECT } from '../../emulators/stack/seed.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import type { Stack, StackOptions } from '../../emulators/stack/stack.ts';
import { startStack } from '../../emulators/stack/start-stack.ts';
import { list, send, text } from '../support/client.ts';
import { DAY_MS } from '../support/steer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ALL_TIERS, Client, signIn } from '../support/tenant.ts';

/** Calls the control API of the stack, which can refuse the call. */
const control = ({ controlUrl }: Stack, method: string, path: string, body?: unknown) =>
  send(method, `${controlUrl}${path}`, { body });
const addressesOf = ({ controlUrl, overview }: Stack) => ({ controlUrl, baseUrl: overview.base_url });
/** Sends a request with the demo tenant's API key. */
const asDemo = (stack: Stack, method: string, path: string, body?: unknown) =>
  new Client(addressesOf(stack), stack.overview.demo.api_key).send(method, path, body);

// What `emulators/README.md` promises and no other test needs. All contract tests use the rest of the control API.

const features = { billing: true, console: true, wrappedRoot: true, transit: true };
const ephemeral = { ...features, port: 21_080, dir: undefined };
const plaintext = Buffer.from('hello').toString('base64');
let stack: Stack;

beforeAll(async () => {
  stack = await startStack(ephemeral);
});
afterAll(() => stack?.stop());

/** Returns the time at which a new key was created. */
const createKey = async (name: string) =>
  text(await asDemo(stack, 'POST', '/v1/keys', { name, tier: 'wrapped' }), 'created_at');
const keyPath = (stack: Stack) => `/v1/keys/${stack.overview.demo.key_id}`;
const encrypt = () => asDemo(stack, 'POST', `${keyPath(stack)}/encrypt`, { plaintext });

test('the overview says where the stack is, and its demo tenant has a key that can encrypt', async () => {
  expect(await control(stack, 'GET', '/')).toMatchObject({ status: 200, body: stack.overview });
  expect(stack.overview).toMatchObject({
    base_url: 'http://127.0.0.1:21080',
    demo: { api_key_id: expect.any(String), container_id: expect.any(String), subject: 'demo' },
  });
  const { body } = await asDemo(stack, 'GET', '/v1/keys');
  expect(body).toMatchObject([{ id: stack.overview.demo.key_id, name: 'demo', tier: 'free', state: 'active' }]);
  expect((await encrypt()).status).toBe(200);
});

test('the control API answers an unknown or invalid request with an error', async () => {
  const noKey = { key_id: '00000000-0000-4000-8000-000000000000', period: '2026-10', ops: 1 };
  const answers = [
    ['GET', '/nope', undefined, 404],
    ['DELETE', '/clock', undefined, 405],
    ['POST', '/faults', { kms: 'slow' }, 400],
    ['POST', '/faults', { moon: 'down' }, 400],
    ['POST', '/usage', noKey, 404],
    ['POST', '/clock', { now: '0001-01-01T00:00:00Z' }, 400],
    ['POST', '/clock', { now: '1969-12-31T23:59:59Z' }, 400],
    ['POST', '/clock', { now: '2200-01-01T00:00:00Z' }, 400],
  ] as const;
  for (const [method, path, body, status] of answers) {
    expect(await control(stack, method, path, body)).toMatchObject({ status, body: { error: expect.any(String) } });
  }
  const refusal = { status: 400, body: { error: 'now: Invalid ISO datetime' } };
  expect(await control(stack, 'POST', '/clock', { now: 'noon' })).toMatchObject(refusal);
});

test('the stack’s clock can return to real time; clock and faults survive a crash of the service until they are changed', async () => {
  const set = await control(stack, 'POST', '/clock', { now: '2027-10-31T23:00:00.000001Z' });
  expect(set.body).toEqual({ now: expect.stringMatching(/^2027-10-31T23:00:\d{2}\.\d{6}Z$/) });
  expect(await createKey('future')).toMatch(/^2027-10-31T23:00:/);
  await control(stack, 'POST', '/faults', { audit_rows: 'down' });
  await stack.crashService();
  const faults = { kms: null, pdp: null, idp: null, stripe: { delay_ms: 5 }, firestore: null, audit_rows: 'down' };
  expect((await control(stack, 'POST', '/faults', { stripe: { delay_ms: 5 } })).body).toEqual(faults);
  expect((await encrypt()).status).toBe(500);
  expect((await control(stack, 'POST', '/faults', { audit_rows: null })).body).toEqual({ ...faults, audit_rows: null });
  expect(await createKey('after the crash')).toMatch(/^2027-10-31T23:/);
  await control(stack, 'POST', '/clock', { now: null });
  expect(Math.abs(Date.parse(await createKey('present')) - Date.now())).toBeLessThan(3_600_000);
});

const port = 22_080;
let dir = '';
const start = async (options: Partial<StackOptions> = {}) => {
  const running = await startStack({ ...features, port, dir, ...options });
  onTestFinished(running.stop);
  return running;
};
beforeEach(() => {
  dir = temporaryFolder('stack');
});

test('the data of a stack survives a restart, even with other options and other ports', async () => {
  const first = await start({ console: false });
  expect(first.overview.demo.subject).toBeNull();
  expect((await control(first, 'POST', '/tokens', { sub: 'demo' })).status).toBe(404);
  const sealed = await asDemo(first, 'POST', `${keyPath(first)}/encrypt`, { plaintext });
  await first.stop();
  expect(statSync(join(dir, 'demo.json')).mode & 0o777).toBe(0o600);

  const second = await start({ port: port + 20 });
  expect(second.overview.demo).toEqual({ ...first.overview.demo, subject: 'demo' });
  const ciphertext = text(sealed, 'ciphertext');
  const opened = await asDemo(second, 'POST', `${keyPath(second)}/decrypt`, { ciphertext });
  expect(opened).toMatchObject({ status: 200, body: { plaintext } });
  // The first start had neither billing nor console. At the second start, the tenant must be able to use both.
  expect((await asDemo(second, 'POST', '/v1/keys', { name: 'paid', tier: 'wrapped' })).status).toBe(201);
  const { body } = await (await signIn(addressesOf(second), 'demo')).send('GET', '/v1/me');
  expect(body).toMatchObject({ tenant: { id: second.overview.demo.tenant_id } });
});

test('a demo tenant whose API key was revoked gets another API key at the next start', async () => {
  const first = await start();
  const { demo } = first.overview;
  const session = await signIn(addressesOf(first), 'demo');
  expect((await session.send('DELETE', `/v1/api-keys/${demo.api_key_id}`)).status).toBe(204);
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

test('with --demo, the demo tenant has a month of history: keys, API keys, a firewall, daily usage and a sealed log', async () => {
  const stack = await startSeparateStack('--demo');
  try {
    const session = await signIn(stack, DEMO_SUBJECT);
    const get = async (path: string) => list(await session.send('GET', path));
    const days = Array.from({ length: 31 }, (_, ago) => new Date(Date.now() - ago * DAY_MS).toISOString());
    const months = new Set(days.map((day) => day.slice(0, 7)));
    const lines = await Promise.all([...months].map((month) => get(`/v1/usage/daily?period=${month}`)));
    expect(new Set(lines.flat().map(({ day }) => day)).size).toBe(30);
    const keys = await get('/v1/keys');
    expect(new Set(keys.map(({ tier }) => tier))).toEqual(new Set(ALL_TIERS));
    expect(keys.some(({ state }) => state === 'pending_deletion')).toBe(true);
    expect((await get('/v1/api-keys')).map(({ name }) => name)).toEqual(['demo', 'shop', 'reports']);
    expect(await get('/v1/firewalls')).toHaveLength(1);
    expect((await get('/v1/members')).map(({ name }) => name)).toEqual(['Demo', 'Ada']);
    const last = String((await get('/v1/audit/seals?limit=1000')).at(-1)?.until);
    expect(Date.now() - Date.parse(last)).toBeLessThan(DAY_MS);
  } finally {
    await stack.stop();
  }
});
