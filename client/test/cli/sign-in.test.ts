import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NOWHERE } from '../../../test/support/client.ts';
import { recipientOf } from '../../src/age-plugin/recipient.ts';
import { readProfile } from '../../src/cli/profile.ts';
import { discover } from '../../src/cli/provider.ts';
import { connect } from '../../src/cli/service.ts';
import { Session } from '../../src/cli/session.ts';
import { AGE_PLUGIN_ESK, ESK, esk, eskHere, expectFailure, shell as shellIn, start } from '../support/esk.ts';
import { answer, page, refuse, type Step, scriptedServer, silence } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

const folder = temporaryFolder();
/** One server is both the service and its identity provider. */
const server = scriptedServer();
const env = () => ({ XDG_CONFIG_HOME: folder.path });
const profileFolder = () => join(folder.path, 'esk');
const storeProfile = async (profile: object) => {
  await mkdir(profileFolder(), { recursive: true });
  await writeFile(join(profileFolder(), 'profile.json'), JSON.stringify(profile));
};
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

  test.each(['url', 'issuer', 'client_id', 'user_id'])(
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
    expectFailure(await eskHere(['whoami'], { env: env() }), 5, new RegExp(line));
  });
});

const shell = (line: string, more: Record<string, string> = {}) =>
  shellIn(line, { env: { ...env(), ...more }, cwd: folder.path });
const calls = () => server.requests.map(({ call }) => call);
const stored = () => readFile(join(profileFolder(), 'profile.json'), 'utf8');
/** Makes every write to a file fail, as on a full disk. */
const FULL_DISK = "trap '' XFSZ; ulimit -f 0;";
const expired = () => ({ ...earlierProfile(), url: server.url, expires_at: 0 });

describe('a refresh token that works only once', () => {
  test('if the disk is full, esk exits with 1 before it uses the refresh token', async () => {
    await storeProfile(expired());
    const before = await stored();
    const stderr = expect.stringMatching(/^esk: file_error: .+ was not renewed, /);
    expect(await shell(`${FULL_DISK} esk whoami`)).toMatchObject({ code: 1, stderr });
    expect(calls()).not.toContain('POST /token');
    expect(await stored()).toBe(before);
  });

  test('if the disk is full, esk login fails before the person signs in', async () => {
    const ended = await shell(`${FULL_DISK} esk login --no-browser ${server.url}`);
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^esk: file_error: /) });
  });

  test('an expired session is renewed before the first call, because a renewal may outlast the deadline of a call', async () => {
    await storeProfile(expired());
    for (const name of Object.keys(process.env)) if (name.startsWith('ESK_')) vi.stubEnv(name, undefined);
    vi.stubEnv('XDG_CONFIG_HOME', folder.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    await connect();
    expect(calls().at(-1)).toBe('POST /token');
    expect(await readProfile(profileFolder())).toMatchObject({ refresh_token: 'new-refresh' });
  });

  test('esk does not exit before a renewal is stored that a call did not wait for', async () => {
    await storeProfile(expired());
    const renewal = new Session(profileFolder(), expired()).renewed('token-of-before');
    expect(await eskHere(['unknown'], { env: env() })).toMatchObject({ code: 2 });
    expect(await readProfile(profileFolder())).toMatchObject({ refresh_token: 'new-refresh' });
    await renewal;
  });

  const RECIPIENT = `-> add-recipient ${recipientOf(randomUUID())}\n\n-> wrap-file-key\n${'A'.repeat(22)}\n-> done\n\n`;
  test.each([
    ['esk', [ESK, 'whoami'], ''],
    ['age-plugin-esk', [AGE_PLUGIN_ESK, '--age-plugin=recipient-v1'], RECIPIENT],
  ])('a signal during a renewal ends %s only after the new refresh token is stored', async (_, args, input) => {
    await storeProfile(expired());
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env() }, stdio: 'pipe' });
    child.stdin.end(input);
    const renewed = answer(200, { access_token: 'new-token', token_type: 'Bearer', refresh_token: 'new-refresh' });
    serve({
      '/v1/me': silence,
      '/token': (...request) => {
        child.kill('SIGTERM');
        renewed(...request);
      },
    });
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    expect(await readProfile(profileFolder())).toMatchObject({ refresh_token: 'new-refresh' });
    expect(await readdir(profileFolder())).toEqual(['profile.json']);
  });

  test('if the clock is two hours ahead, esk renews the session, stores it and reports the clock', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iss: server.url, aud: 'console', sub: 'u', iat: seconds, exp: seconds + 3600 };
    const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const tokens = { access_token: 'new-token', token_type: 'Bearer', refresh_token: 'new-refresh', expires_in: 3600 };
    serve({ '/token': answer(200, { ...tokens, id_token: `${parts.join('.')}.AAAA` }) });
    await storeProfile(expired());
    const ahead = 'const real=Date.now;Date.now=()=>real()+7200e3';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURI(ahead)}`;
    for (const _ of ['renews', 'keeps'])
      expect(await shell('esk whoami', { NODE_OPTIONS })).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^$|^The clock .+ 12\d minutes ahead /),
      });
    expect(calls().filter((call) => call === 'POST /token')).toHaveLength(1);
    expect(await readProfile(profileFolder())).toMatchObject({ refresh_token: 'new-refresh' });
  });
});

describe.skipIf(!canMount)('a profile that a container mounts (skipped without the right to mount)', () => {
  const mounted = (mounts: string, command: string) =>
    shell(`unshare --mount bash -c '${mounts} && "$0" "$@"' '${process.execPath}' '${ESK}' ${command}`);
  const FILE = 'mount --bind profile.json esk/profile.json';
  const READ_ONLY_FILE = `${FILE} && mount -o remount,bind,ro esk/profile.json`;
  const READ_ONLY_FOLDER = 'mount --bind esk esk && mount -o remount,bind,ro esk';
  beforeEach(async () => {
    await storeProfile(expired());
    await writeFile(join(folder.path, 'profile.json'), JSON.stringify(expired()));
  });
  const source = () => readFile(join(folder.path, 'profile.json'), 'utf8');

  test('a renewed session is written into the mounted file; esk logout empties the file and revokes the tokens', async () => {
    expect(await mounted(FILE, 'whoami')).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(await source())).toMatchObject({ access_token: 'new-token', refresh_token: 'new-refresh' });
    expect(await mounted(FILE, 'logout')).toMatchObject({ code: 0 });
    expect(await source()).toBe('');
    expect(calls()).toContain('POST /revoke');
  });

  test('if the file is mounted for reading only, esk exits with 1 before it uses the refresh token', async () => {
    const stderr = /^esk: file_error: .+profile\.json: read-only file system; the session was not renewed/;
    const ended = await mounted(READ_ONLY_FILE, 'whoami');
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(stderr) });
    expect(calls()).not.toContain('POST /token');
  });

  test.each([
    ['the file', READ_ONLY_FILE, 200, 1, /^esk: file_error: /],
    ['the folder', READ_ONLY_FOLDER, 200, 1, /^esk: file_error: .+read-only file system\n$/],
    ['the folder', READ_ONLY_FOLDER, 503, 5, /your tokens were not revoked.+; nor was the profile removed: /],
  ])(
    'if %s is mounted for reading only, esk logout still revokes the tokens, and reports all failures',
    async (...row) => {
      const [, mounts, status, code, stderr] = row;
      serve({ '/revoke': answer(status) });
      expect(await mounted(mounts, 'logout')).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
      expect(calls()).toContain('POST /revoke');
    },
  );
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
    expect(calls()).toEqual(['GET /v1/sign-in', 'GET /.well-known/openid-configuration']);
    expect((await readdir(folder.path)).toSorted()).toEqual(['esk', 'xdg-open']);
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
    expect(await readProfile(profileFolder())).toMatchObject({
      url: server.url,
      access_token: 'new-token',
      user_id: 'u',
    });
  });

  test('esk logout holds the profile’s lock while it deletes the profile', async () => {
    expect(await esk(['logout'], { env: env() })).toMatchObject({ code: 0 });
    expect(await readdir(profileFolder())).toEqual([]);
    expect(calls()).toContain('POST /revoke');
  });
});
