import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { ROOT } from '../../sources.ts';
import { list } from '../../support/client.ts';
import { serviceSettings } from '../../support/second-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

function smoke(apiKey: string | undefined, ...args: readonly string[]) {
  const env = { PATH: process.env.PATH, ...(apiKey && { SMOKE_API_KEY: apiKey }) };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile('npm', ['run', '--silent', 'smoke', '--', ...args], { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

async function keysOf(tenant: Tenant): Promise<unknown[]> {
  return list(await tenant.api.send('GET', '/v1/keys')).map(({ name, state }) => `${name} ${state}`);
}

test('against the local stack, every check of the smoke test passes, and the next run restores and deletes the same key', async () => {
  const tenant = await makeTenant(stack);
  const checks = [
    ...['health', 'request without a credential', 'unknown route', 'wrong method', 'key of the canary', 'usage'],
    ...['encrypt', 'decrypt', 'audit event', 'count of operations', 'clean up'],
  ];
  const stdout = [...checks.map((check) => `ok      ${check}`), `${stack.baseUrl} passed the smoke test`, ''].join(
    '\n',
  );
  for (const _ of [1, 2]) {
    expect(await smoke(tenant.api.token, stack.baseUrl)).toMatchObject({ code: 0, stdout });
    expect(await keysOf(tenant)).toEqual(['smoke-test pending_deletion']);
  }
});

test('with --keep, the smoke test keeps its key, and several runs at a time pass', async () => {
  const tenant = await makeTenant(stack);
  expect(await smoke(tenant.api.token, stack.baseUrl, '--keep')).toMatchObject({ code: 0 });
  const both = await Promise.all([
    smoke(tenant.api.token, stack.baseUrl),
    smoke(tenant.api.token, stack.baseUrl, '--keep'),
  ]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(await keysOf(tenant)).toEqual(['smoke-test active']);
});

test('the smoke test fails if the API key may not decrypt, and still deletes its key', async () => {
  const tenant = await makeTenant(stack);
  const { client } = await tenant.mint({ allowed_actions: ['create', 'encrypt', 'delete', 'restore'] });
  const { code, stdout } = await smoke(client.token, stack.baseUrl, '--patience', '0');
  expect(code).toBe(1);
  expect(stdout).toContain('FAILED  decrypt: expected 200, got 403 action_not_allowed\n');
  expect(stdout).toContain('ok      clean up\n');
  expect(await keysOf(tenant)).toEqual(['smoke-test pending_deletion']);
});

test('an error that is not in the service’s own format fails the smoke test, because then the gateway or another server answered', async () => {
  const tenant = await makeTenant(stack);
  const other = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":404,"message":"not defined"}');
  });
  onTestFinished(() => void other.close());
  await listen(other, 0);
  const { code, stdout } = await smoke(tenant.api.token, `http://127.0.0.1:${portOf(other)}`, '--patience', '0');
  expect(code).toBe(1);
  expect(stdout).toContain("FAILED  unknown route: expected 404 not_found in the service's own format, got 404\n");
});

test.for([
  ['no URL', [], 'smoke: expected one URL\n'],
  ['a word that is no URL', ['encryption'], 'smoke: expected one URL\n'],
  ['an unknown option', ['http://127.0.0.1', '--fast'], 'smoke: Unknown option '],
  ['no API key', ['http://127.0.0.1'], 'smoke: set SMOKE_API_KEY to the token of an API key\n'],
] as const)('the smoke test refuses %s with exit code 2', async ([, args, message]) => {
  const { code, stdout, stderr } = await smoke(undefined, ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('the canary of a new deployment is a tenant whose API key is stored as a secret, and with it the smoke test passes', async () => {
  const folder = temporaryFolder('canary');
  writeFileSync(join(folder, 'gcloud'), `#!/bin/sh\necho "$*" > ${folder}/command; cat > ${folder}/secret\n`, {
    mode: 0o755,
  });
  const settings = serviceSettings(stack);
  const { GOOGLE_CLOUD_PROJECT: project = '', KMS_KEY_RING: ring = '' } = settings;
  const env = { ...settings, PATH: `${folder}:${process.env.PATH}` };
  const args = [`--project=${project}`, `--key-ring=${ring}`, '--secret=smoke-api-key'];
  await promisify(execFile)(process.execPath, ['deploy/canary.ts', ...args], { cwd: ROOT, env });
  expect(readFileSync(join(folder, 'command'), 'utf8')).toBe(
    'secrets create smoke-api-key --replication-policy=automatic --data-file=-\n',
  );
  const apiKey = readFileSync(join(folder, 'secret'), 'utf8');
  expect(await smoke(apiKey, stack.baseUrl, '--keep')).toMatchObject({ code: 0 });
});
