import { once } from 'node:events';
import { chmod, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, test } from 'vitest';
import { NOWHERE } from '../../../test/support/nowhere.ts';
import { readProfile } from '../../src/cli/profile.ts';
import { discover } from '../../src/cli/provider.ts';
import { Session } from '../../src/cli/session.ts';
import { esk, start } from '../support/esk.ts';
import { expectFailure } from '../support/esk-failure.ts';
import { answer, page, refuse, type Step, scriptedServer } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
/** One server is both the service and its identity provider. */
const server = scriptedServer();
const env = () => ({ XDG_CONFIG_HOME: folder.path });
const profileFolder = () => join(folder.path, 'esk');
const storeProfile = async (profile: object) => {
  await mkdir(profileFolder(), { recursive: true });
  await writeFile(join(profileFolder(), 'profile.json'), JSON.stringify(profile));
};
/** Returns the profile of an earlier sign-in. */
const earlierProfile = () => ({
  url: 'https://a.example',
  issuer: server.url,
  client_id: 'console',
  access_token: 'token-of-before',
  expires_at: null,
  refresh_token: 'refresh-of-before',
});
const credentials = () =>
  server.requests.map(({ headers }) => headers.authorization).filter((one) => one !== undefined);

/** Sets the answer for each path. */
function serve(steps: Readonly<Record<string, Step>>): void {
  const all = {
    '/v1/sign-in': answer(200, { issuer: server.url, client_id: 'console', scope: 'openid', audience: 'esk' }),
    '/.well-known/openid-configuration': provider(),
    '/token': answer(200, { access_token: 'new-token', token_type: 'Bearer', refresh_token: 'new-refresh' }),
    '/revoke': answer(200),
    '/v1/me': answer(200, { user: { id: 'u', email: null, name: 'Ada' }, tenant: { id: 't' }, role: 'owner' }),
    ...steps,
  };
  const byPath = new Map<string, Step>(Object.entries(all));
  server.play((response, request) => byPath.get(request.call.split(' ')[1] ?? '')?.(response, request));
}

function provider(endpoints: object = {}): Step {
  const { url } = server;
  const own = {
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    revocation_endpoint: `${url}/revoke`,
  };
  return answer(200, { issuer: url, ...own, ...endpoints });
}

/** Runs `esk login`, and redirects with an authorization code as the identity provider would. */
async function logIn() {
  const { child, ended } = start(['login', server.url, '--no-browser'], { env: env() });
  const [address] = await once(createInterface(child.stdout), 'line');
  const { redirect_uri = '', state = '' } = Object.fromEntries(new URL(String(address)).searchParams);
  await fetch(`${redirect_uri}?${new URLSearchParams({ code: 'c', state })}`);
  return ended;
}

beforeEach(() => serve({}));

describe('credentials of another sign-in', () => {
  test.each([
    ['another service', () => 'https://a.example'],
    ['the same service', () => server.url],
  ])('esk login to %s does not send the token of an earlier sign-in', async (_, url) => {
    const earlier = { ...earlierProfile(), url: url() };
    await storeProfile(earlier);
    serve({ '/v1/me': refuse(401, 'unauthorized') });
    expect(await logIn()).toMatchObject({ code: 4, stderr: expect.stringMatching(/\nesk: unauthorized: /) });
    expect(credentials()).toEqual(['Bearer new-token']);
    expect(await readProfile(profileFolder())).toEqual(earlier);
  });

  test.each(['url', 'issuer', 'client_id'])(
    'a session is not renewed if its %s differs from that of the stored sign-in',
    async (field) => {
      await storeProfile({ ...earlierProfile(), [field]: 'https://b.example' });
      const session = new Session(profileFolder(), { ...earlierProfile(), access_token: 'token-of-then' });
      await expect(session.renewed('token-of-then')).rejects.toMatchObject({ code: 'unauthorized', exitCode: 4 });
      await expect(session.accessToken()).resolves.toBe('token-of-then');
    },
  );
});

describe('failed renewals of a token', () => {
  test.each([
    ['that answers 503 with a page', 'unreachable', 5, page(503)],
    ['that answers 503 with an OAuth error', 'unreachable', 5, answer(503, { error: 'temporarily_unavailable' })],
    ['that answers 429', 'unreachable', 5, answer(429, { error: 'slow_down' })],
    ['that refuses the renewal', 'unauthorized', 4, answer(400, { error: 'invalid_grant' })],
  ])(
    'the renewal of a token at an identity provider %s fails with the error code %s',
    async (_, code, exitCode, token) => {
      serve({ '/token': token });
      await storeProfile(earlierProfile());
      const renewal = new Session(profileFolder(), earlierProfile()).renewed('token-of-before');
      await expect(renewal).rejects.toMatchObject({ code, exitCode });
    },
  );

  test('if the service refuses the token and the identity provider is unreachable, esk says that the provider is unavailable', async () => {
    serve({ '/v1/me': refuse(401, 'unauthorized') });
    await storeProfile({ ...earlierProfile(), url: server.url, issuer: NOWHERE });
    const line = `^esk: unreachable: the identity provider at ${new URL(NOWHERE).host} is not available; try again later\n$`;
    expectFailure(await esk(['whoami'], { env: env() }), 5, new RegExp(line));
  });
});

describe('addresses of the identity provider', () => {
  test.each([
    ['authorization_endpoint', 'vscode://open'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'http://192.0.2.1/authorize'],
    ['authorization_endpoint', '-x'],
    ['token_endpoint', 'http://192.0.2.1/token'],
    ['token_endpoint', 'ftp://127.0.0.1/token'],
    ['revocation_endpoint', 'http://192.0.2.1/revoke'],
    ['end_session_endpoint', 'file:///etc/passwd'],
  ])('an identity provider’s %s with the address %s is refused', async (endpoint, address) => {
    serve({ '/.well-known/openid-configuration': provider({ [endpoint]: address }) });
    await expect(discover(server.url, 'console')).rejects.toMatchObject({
      code: 'sign_in_failed',
      message: expect.stringContaining(`the ${endpoint} of the identity provider at 127.0.0.1:`),
    });
  });

  test.each(['https://id.example/end', 'http://localhost:1/end', 'http://[::1]:1/end'])(
    'an identity provider’s end_session_endpoint %s is accepted',
    async (address) => {
      serve({ '/.well-known/openid-configuration': provider({ end_session_endpoint: address }) });
      expect(await discover(server.url, 'console')).toMatchObject({ server: { end_session_endpoint: address } });
    },
  );

  test('if the identity provider returns a file: address, esk login does not open it', async () => {
    await writeFile(join(folder.path, 'xdg-open'), `#!/bin/sh\ntouch '${join(folder.path, 'opened')}'\n`);
    await chmod(join(folder.path, 'xdg-open'), 0o755);
    serve({ '/.well-known/openid-configuration': provider({ authorization_endpoint: 'file:///etc/passwd' }) });
    const PATH = `${folder.path}:${process.env.PATH}`;
    const ended = await esk(['login', server.url], { env: { ...env(), PATH } });
    expectFailure(ended, 1, /^esk: sign_in_failed: the authorization_endpoint of /);
    expect(server.requests.map(({ call }) => call)).toEqual([
      'GET /v1/sign-in',
      'GET /.well-known/openid-configuration',
    ]);
    expect(await readdir(folder.path)).toEqual(['xdg-open']);
  });
});

// Each test first creates a stale lock, such as a killed program leaves behind. A command that locks the profile takes
// over the stale lock and later removes it. If the stale lock remains, the command did not lock the profile.
describe('the lock of the profile', () => {
  beforeEach(async () => {
    await storeProfile({ ...earlierProfile(), url: server.url });
    await mkdir(join(profileFolder(), 'lock'));
    await utimes(join(profileFolder(), 'lock'), 0, 0);
  });

  test('esk login holds the profile’s lock while it changes the profile', async () => {
    expect(await logIn()).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed in') });
    expect(await readdir(profileFolder())).toEqual(['profile.json']);
    expect(await readProfile(profileFolder())).toMatchObject({ url: server.url, access_token: 'new-token' });
  });

  test('esk logout holds the profile’s lock while it deletes the profile', async () => {
    expect(await esk(['logout'], { env: env() })).toMatchObject({ code: 0 });
    expect(await readdir(profileFolder())).toEqual([]);
    expect(server.requests.map(({ call }) => call)).toContain('POST /revoke');
  });
});
