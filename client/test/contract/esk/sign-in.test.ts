import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { listen, portOf } from '../../../../emulators/base/listen.ts';
import { signInFrom } from '../../../../test/support/code-flow.ts';
import { Client, makeTenant, signIn, type Tenant } from '../../../../test/support/tenant.ts';
import { esk, eskHere, eskJson, expectFailure, logIn, start } from '../../support/esk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stack = inject('stack');
const folder = temporaryFolder();
const profile = z.looseObject({ access_token: z.string(), expires_at: z.number(), refresh_token: z.string() });
let configHome: string;
let env: Record<string, string>;
let tenant: Tenant;
let greeting: string;

beforeAll(async () => {
  configHome = await mkdtemp(join(tmpdir(), 'esk-config-'));
  env = { XDG_CONFIG_HOME: configHome };
  tenant = await makeTenant(stack);
  const person = { subject: tenant.subject, email: 'ada@example.com', name: 'Ada' };
  const { code, stderr, stdout } = await logIn(person, { env: { ...env, ESK_URL: stack.baseUrl } });
  expect({ code, page: stdout.toString() }).toEqual({ code: 0, page: expect.stringContaining('You are signed in.') });
  greeting = stderr;
});
afterAll(() => rm(configHome, { recursive: true }));

const profileFile = () => join(configHome, 'esk', 'profile.json');
const readProfile = async (file = profileFile()) => profile.parse(JSON.parse(await readFile(file, 'utf8')));

describe('the sign-in of esk', () => {
  test('esk login and esk whoami show the signed-in user, whose sign-in is stored in files that only they can read', async () => {
    expect(greeting).toMatch(new RegExp(`\nSigned in at ${stack.baseUrl} as ada@example.com\\.\n$`));
    const { stdout } = await eskHere(['whoami'], { env });
    const service = `^service +${stack.baseUrl}\nuser +\\S+\n`;
    const user = `email +ada@example.com\nname +Ada\ntenant +${tenant.id}\n`;
    expect(stdout.toString()).toMatch(new RegExp(service + user));
    expect((await stat(profileFile())).mode & 0o777).toBe(0o600);
    expect((await stat(join(configHome, 'esk'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(configHome, 'esk'))).toEqual(['profile.json']);
  });

  test('an API key in the environment takes precedence', async () => {
    const other = await makeTenant(stack);
    await other.createKey('wrapped', 'another tenant’s');
    const asOther = { ...env, ESK_API_KEY: other.api.token ?? '' };
    expect(await eskJson(['keys', 'list'], { env: asOther })).toMatchObject([{ name: 'another tenant’s' }]);
  });

  test('if ESK_URL names a different service, esk does not send the token of the sign-in to that service', async () => {
    const elsewhere = await eskHere(['whoami'], { env: { ...env, ESK_URL: 'http://localhost:1' } });
    expectFailure(elsewhere, 4, /^esk: unauthorized: no credential found for http:\/\/localhost:1; [^\n]+\n$/);
  });

  test('an expired access token is renewed only once, even if several programs need it at the same time', async () => {
    const before = await readProfile();
    await writeFile(profileFile(), JSON.stringify({ ...before, expires_at: 0 }));
    const all = await Promise.all([1, 2, 3].map(() => esk(['whoami'], { env })));
    // On a busy machine, a program says after two seconds that it waits for the others.
    const stderr = expect.stringMatching(/^(Waiting for another esk .+\n)?$/);
    expect(all).toEqual(Array(3).fill(expect.objectContaining({ code: 0, stderr })));
    const after = await readProfile();
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(after.expires_at).toBeGreaterThan(Date.now());
    expect(await readdir(join(configHome, 'esk'))).toEqual(['profile.json']);
  });

  test('an access token that the service refuses before it expires is renewed', async () => {
    const before = await readProfile();
    const refused = new Client(stack, 'a.b.c');
    expect((await refused.send('GET', '/v1/me')).status).toBe(401);
    await writeFile(profileFile(), JSON.stringify({ ...before, access_token: refused.token }));
    expect(await eskHere(['whoami'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect((await readProfile()).access_token).not.toBe(before.access_token);
  });
});

test('a first sign-in creates a tenant, and esk logout ends the sign-in', async () => {
  const own = { XDG_CONFIG_HOME: folder.path };
  const subject = randomUUID();
  expect(await logIn({ subject }, { env: { ...own, ESK_URL: stack.baseUrl } })).toMatchObject({ code: 0 });
  expect((await (await signIn(stack, subject)).send('GET', '/v1/containers')).status).toBe(200);
  const { refresh_token } = await readProfile(join(folder.path, 'esk', 'profile.json'));
  const { issuer, client_id } = Object((await tenant.console.send('GET', '/v1/sign-in')).body);
  expect(await esk(['logout'], { env: own })).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
  expect(await readdir(join(folder.path, 'esk'))).toEqual([]);
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token });
  const renewal = await fetch(`${issuer}/token`, { method: 'POST', body });
  expect(await renewal.json()).toMatchObject({ error: 'invalid_grant' });
  expectFailure(await eskHere(['whoami'], { env: own }), 4, /^esk: unauthorized: no credential found; [^()]+\n$/);
  expect(await eskHere(['logout'], { env: own })).toMatchObject({ code: 0 });
});

describe('esk login', () => {
  test('esk login opens a browser if one is installed', async () => {
    const opened = join(folder.path, 'opened');
    const open = `#!/bin/sh\nprintf '%s' "$1" >'${opened}.part' && mv '${opened}.part' '${opened}'\n`;
    await writeFile(join(folder.path, 'xdg-open'), open);
    await chmod(join(folder.path, 'xdg-open'), 0o755);
    const own = { XDG_CONFIG_HOME: folder.path, PATH: `${folder.path}:${process.env.PATH}` };
    const { ended } = start(['login', stack.baseUrl], { env: own });
    await expect.poll(() => readdir(folder.path)).toContain('opened');
    const person = { subject: 'login', email: 'login@example.com' };
    await fetch(await signInFrom(new URL(await readFile(opened, 'utf8')), person));
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('as login@example.com') });
  });

  test('the sign-in URL has PKCE and a state, a redirect with another state is ignored, and a refusal ends the sign-in', async () => {
    const { child, ended } = start(['login', stack.baseUrl, '--no-browser'], { env: { XDG_CONFIG_HOME: folder.path } });
    const [line] = await once(createInterface(child.stdout), 'line');
    const { origin, searchParams } = new URL(String(line));
    const { redirect_uri = '', state = '', ...query } = Object.fromEntries(searchParams);
    expect(query).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: 'console' });
    expect(redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    for (const random of [query.code_challenge, state]) expect(random).toMatch(/^[\w-]{43}$/);
    const come = (parameters: Record<string, string>) => fetch(`${redirect_uri}?${new URLSearchParams(parameters)}`);
    expect((await come({ code: 'stolen', state: 'x'.repeat(43), iss: origin })).status).toBe(400);
    expect((await fetch(redirect_uri.replace('/callback', '/'))).status).toBe(400);
    expect((await come({ error: 'access_denied', state, iss: origin })).status).toBe(200);
    const stderr = expect.stringMatching(/\nesk: unauthorized: .+access_denied.+\n$/);
    expect(await ended).toMatchObject({ code: 4, stderr });
    expect(await readdir(join(folder.path, 'esk'))).toEqual([]);
  });
});

describe('a proxy', () => {
  const proxy = createServer();
  const asked: (string | undefined)[] = [];
  proxy.on('connect', ({ url = '' }, socket, head) => {
    asked.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    if (hostname === 'service.test') return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const target = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) end.on('error', () => [socket, target].map((one) => one.destroy()));
  });
  beforeAll(() => listen(proxy, 0));
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  test.each([
    ['HTTP_PROXY', '', 1],
    ['http_proxy', '', 1],
    ['HTTP_PROXY', 'NO_PROXY', 0],
    ['HTTP_PROXY', 'no_proxy', 0],
    ['HTTPS_PROXY', '', 0],
    ['https_proxy', '', 0],
  ])('with %s and %s, esk uses the proxy for %i requests over http', async (proxied, excluded, requests) => {
    asked.length = 0;
    const own = { [proxied]: `http://127.0.0.1:${portOf(proxy)}`, ...(excluded && { [excluded]: '127.0.0.1' }) };
    const service = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
    expect(await esk(['keys', 'list'], { env: { ...service, ...own } })).toMatchObject({ code: 0, stderr: '' });
    expect(asked).toEqual(Array(requests).fill(new URL(stack.baseUrl).host));
  });

  test.each(['HTTPS_PROXY', 'https_proxy'])('with %s, esk uses the proxy for requests over https', async (proxied) => {
    asked.length = 0;
    const own = { [proxied]: `http://127.0.0.1:${portOf(proxy)}` };
    const service = { ESK_URL: 'https://service.test', ESK_API_KEY: tenant.api.token ?? '' };
    expect(await esk(['keys', 'list'], { env: { ...service, ...own } })).toMatchObject({ code: 5 });
    expect(new Set(asked)).toEqual(new Set(['service.test:443']));
  });

  test('a proxy that is not a URL is wrong usage', async () => {
    expect(await eskHere(['keys', 'list'], { env: { HTTP_PROXY: 'a proxy' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HTTP_PROXY'),
    });
  });
});
