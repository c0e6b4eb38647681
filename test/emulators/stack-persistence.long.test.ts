import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stack, StackOptions } from '../../emulators/stack/stack.ts';
import { startStack } from '../../emulators/stack/start-stack.ts';
import { asDemo, control, mintToken } from './stack-client.ts';

const features = { billing: true, console: true, wrappedRoot: true, transit: true };
const port = 22_080;
const ciphertext = z.object({ ciphertext: z.string() });
const plaintext = Buffer.from('kept').toString('base64');
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

test('a start with --demo that finds a demo tenant adds no activity, and says so', async () => {
  const first = await start();
  await first.stop();
  const lines: string[] = [];
  const second = await start({ demoMonth: true, log: (line) => lines.push(line) });
  expect(lines).toContainEqual(expect.stringContaining('--demo adds no activity'));
  expect(second.overview.demo).toEqual(first.overview.demo);
});

test('a start with --fresh makes a new demo tenant', async () => {
  const first = await start();
  await first.stop();
  const second = await start({ fresh: true });
  expect(second.overview.demo.tenant_id).not.toBe(first.overview.demo.tenant_id);
});

test('only one stack at a time can use a data directory, and a refused stack does not disturb the running stack', async () => {
  const stack = await start();
  await expect(startStack({ ...features, port: port + 20, dir, fresh: true })).rejects.toThrow(/^Process \d+ uses/);
  expect((await asDemo(stack, 'GET', keyPath(stack))).status).toBe(200);
});
