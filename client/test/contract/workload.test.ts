import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { control, text } from '../../../test/support/client.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { workloadToken } from '../../../test/support/workloads.ts';
import { EncryptionService, WorkloadError, workload } from '../../src/index.ts';
import { eskHere, expectFailure } from '../support/esk.ts';
import { signedIn } from '../support/objects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const audiences: string[] = [];
/** Emulates the token endpoint of GitHub Actions and Google's metadata server. */
const endpoints = createServer(async ({ url = '', headers }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://endpoint');
  const isGitHub = pathname === '/github' && searchParams.get('api-version') === '2.0';
  const isGoogle = pathname === '/computeMetadata/v1/instance/service-accounts/default/identity';
  const mayAsk = isGitHub
    ? headers.authorization === 'Bearer a-secret-of-the-job'
    : isGoogle && headers['metadata-flavor'] === 'Google';
  if (!mayAsk) return void response.writeHead(403).end();
  const audience = searchParams.get('audience') ?? '';
  audiences.push(audience);
  const request = { audience, claims: { sub: 'job' }, ...(lifetime !== undefined && { expires_in: lifetime }) };
  const value = text(await control(stack, 'POST', '/workload-tokens', request), 'token');
  response.writeHead(200).end(isGitHub ? JSON.stringify({ value, count: value.length }) : `${value}\n`);
});
let variables: Record<string, string>;

const stack = inject('stack');
const issuer = workloadIssuerOf(portsOf(stack));
const folder = temporaryFolder();
let tenant: Tenant;
let apiKeyId: string;
let lifetime: number | undefined;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  apiKeyId = (await tenant.mint({ federations: [{ issuer, claims: { sub: 'job' } }] })).id;
  await listen(endpoints, 0);
  const host = `127.0.0.1:${portOf(endpoints)}`;
  variables = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://${host}/github?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'a-secret-of-the-job',
    GCE_METADATA_HOST: host,
  };
});
beforeEach(() => {
  audiences.length = 0;
  lifetime = undefined;
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => {
  endpoints.close();
  endpoints.closeAllConnections();
});

const serviceWith = (apiKey: () => Promise<string>) => new EncryptionService({ url: stack.baseUrl, apiKey });
const token = () => workloadToken(stack, apiKeyId, { sub: 'job' });

describe('the library', () => {
  test.each(['github', 'google'] as const)(
    'workload.%s gets one ID token for the API key, and keeps it',
    async (name) => {
      const service = serviceWith(workload[name]({ apiKeyId: apiKeyId.toUpperCase() }));
      const [first, second] = await Promise.all([service.getCaller(), service.getCaller()]);
      expect(first).toMatchObject({ id: apiKeyId, workload: { issuer, subject: 'job' } });
      expect(second).toEqual(first);
      await service.listKeys();
      expect(audiences).toEqual([`urn:uuid:${apiKeyId}`]);
    },
  );

  test('a claim keeps its value, even if its name is that of a time', async () => {
    const federations = [{ issuer, claims: { sub: 'job', expires_at: 'soon', created_at: '2026-11-26T00:00:00Z' } }];
    const { id } = await tenant.mint({ federations });
    const service = signedIn(tenant.console);
    expect(await service.getApiKey(id)).toMatchObject({ federations, expires_at: null });
    expect((await service.listApiKeys()).find((one) => one.id === id)).toMatchObject({ federations });
  });

  test('an ID token that expires soon is replaced for the next call', async () => {
    lifetime = 30;
    const service = serviceWith(workload.github({ apiKeyId }));
    await service.getCaller();
    await service.getCaller();
    expect(audiences).toHaveLength(2);
  });

  test('workload.file reads the file for every call, without the white space around the token', async () => {
    const path = join(folder.path, 'token');
    const service = serviceWith(workload.file(path));
    await writeFile(path, ` ${await token()}\r\n`);
    expect(await service.getCaller()).toMatchObject({ id: apiKeyId });
    await writeFile(path, `${tenant.api.token}\n`);
    expect(await service.getCaller()).toMatchObject({ id: tenant.apiKeyId, workload: null });
    await writeFile(path, ' \n');
    await expect(service.getCaller()).rejects.toMatchObject({ name: 'WorkloadError', reason: 'unreadable' });
    await expect(serviceWith(workload.file(`${path} 2`)).getCaller()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('apiKey may be a function that returns text at once, and its value must be a token', async () => {
    const { baseUrl: url } = stack;
    const right = new EncryptionService({ url, apiKey: () => String(tenant.api.token) });
    expect(await right.getCaller()).toMatchObject({ id: tenant.apiKeyId });
    const wrong = new EncryptionService({ url, apiKey: () => 'a b' });
    await expect(wrong.getCaller()).rejects.toThrow(/^apiKey must be a token of visible ASCII characters, /);
  });

  test.each([
    ['without the variables of GitHub', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }, 'unavailable'],
    ['with an address over plain http', { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://192.0.2.1/' }, 'unavailable'],
    ['with a wrong secret', { ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' }, 'refused'],
    ['with an endpoint that does not answer', { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:1/' }, 'unreachable'],
  ])('%s, the error says why there is no ID token', async (_, env, reason) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const failed = serviceWith(workload.github({ apiKeyId })).getCaller();
    await expect(failed).rejects.toThrow(WorkloadError);
    await expect(failed).rejects.toMatchObject({ reason });
  });

  test('the ID of an API key must be a UUID', () => {
    expect(() => workload.github({ apiKeyId: 'ci' })).toThrow(TypeError);
    expect(() => workload.google({ apiKeyId: '' })).toThrow(TypeError);
  });
});

describe('esk', () => {
  const whoami = (env: Record<string, string>) =>
    eskHere(['keys', 'list', '--json'], { env: { ESK_URL: stack.baseUrl, ...env } });

  test.each(['github', 'google'])('ESK_WORKLOAD=%s uses the ID token of the workload', async (name) => {
    const env = { ...variables, ESK_WORKLOAD: name, ESK_API_KEY_ID: apiKeyId };
    expect(await whoami(env)).toMatchObject({ code: 0, stderr: '' });
    expect(audiences).toEqual([`urn:uuid:${apiKeyId}`]);
  });

  test('ESK_API_KEY comes before ESK_API_KEY_FILE, and ESK_API_KEY_FILE before ESK_WORKLOAD', async () => {
    const path = join(folder.path, 'first');
    await writeFile(path, `\n${await token()}\n`);
    const wrong = { ESK_WORKLOAD: 'github', ESK_API_KEY_ID: apiKeyId };
    expect((await whoami({ ...wrong, ESK_API_KEY_FILE: path })).code).toBe(0);
    const missing = { ...wrong, ESK_API_KEY_FILE: `${path} 2`, ESK_API_KEY: String(tenant.api.token) };
    expect((await whoami(missing)).code).toBe(0);
  });

  test.each<[string, Record<string, string>, number, RegExp]>([
    ['a missing file', { ESK_API_KEY_FILE: '/does/not/exist' }, 1, /^esk: file_error: \/does\/not\/exist: /],
    ['an empty file', { ESK_API_KEY_FILE: '/dev/null' }, 1, /^esk: no_token: \/dev\/null has no token\n$/],
    ['an unknown kind of workload', { ESK_WORKLOAD: 'jenkins', ESK_API_KEY_ID: 'a' }, 2, /ESK_WORKLOAD must be/],
    ['no API key', { ESK_WORKLOAD: 'github' }, 2, /ESK_API_KEY_ID/],
    ['an API key that is no UUID', { ESK_WORKLOAD: 'github', ESK_API_KEY_ID: 'ci' }, 2, /ESK_API_KEY_ID must be/],
    ['no job of GitHub', { ESK_WORKLOAD: 'github', ESK_API_KEY_ID: crypto.randomUUID() }, 4, /^esk: no_token: /],
    [
      'a metadata server that does not answer',
      { ESK_WORKLOAD: 'google', ESK_API_KEY_ID: crypto.randomUUID(), GCE_METADATA_HOST: '127.0.0.1:1' },
      5,
      /^esk: no_token: Google's metadata server did not answer\n$/,
    ],
  ])('with %s, esk exits with its code and says why', async (_, env, expected, message) => {
    expectFailure(await whoami(env), expected, message);
  });

  test('a refused ID token is exit code 4', async () => {
    const path = join(folder.path, 'refused');
    await writeFile(path, await workloadToken(stack, apiKeyId, { sub: 'other' }));
    expect((await whoami({ ESK_API_KEY_FILE: path })).code).toBe(4);
  });
});
