import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { portsOf, workloadIssuerOf } from '../../../../emulators/stack/ports.ts';
import { control } from '../../../../test/support/client.ts';
import { Client, makeTenant, signIn, type Tenant } from '../../../../test/support/tenant.ts';
import { esk, eskJson } from '../../support/esk.ts';
import { expectFailure, REQUEST } from '../../support/esk-failure.ts';
import { logIn } from '../../support/sign-in.ts';

const stack = inject('stack');
const profile = z.object({
  url: z.string(),
  access_token: z.string(),
  expires_at: z.number(),
  refresh_token: z.string(),
});
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

const run = (...args: string[]) => esk(args, { env });
const json = (...args: string[]) => eskJson(args, { env });
const get = async (path: string) => (await tenant.console.send('GET', path)).body;
const profileFile = () => join(configHome, 'esk', 'profile.json');
const readProfile = async () => profile.parse(JSON.parse(await readFile(profileFile(), 'utf8')));
const idOf = (answer: unknown) => z.object({ id: z.string() }).parse(answer).id;

describe('the sign-in of esk', () => {
  test('esk login and esk whoami show the signed-in user', async () => {
    expect(greeting).toMatch(new RegExp(`\nSigned in at ${stack.baseUrl} as ada@example.com\\.\n$`));
    expect(await json('whoami')).toMatchObject({
      user: { email: 'ada@example.com', name: 'Ada' },
      tenant: { id: tenant.id },
    });
    expect((await run('whoami')).stdout.toString()).toMatch(
      new RegExp(`^service +${stack.baseUrl}\nuser +[0-9a-f-]{36}\n`),
    );
  });

  test('the sign-in is stored in files that only the user can read', async () => {
    expect((await stat(profileFile())).mode & 0o777).toBe(0o600);
    expect((await stat(join(configHome, 'esk'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(configHome, 'esk'))).toEqual(['profile.json']);
  });

  test('an API key in the environment takes precedence over the sign-in', async () => {
    const other = await makeTenant(stack);
    await other.createKey('wrapped', 'another tenant’s');
    const asOther = { ...env, ESK_API_KEY: other.api.token ?? '' };
    expect(await eskJson(['keys', 'list'], { env: asOther })).toMatchObject([{ name: 'another tenant’s' }]);
    expectFailure(
      await esk(['api-keys', 'list'], { env: asOther }),
      3,
      new RegExp(`^esk: session_required: .+ ${REQUEST}`),
    );
  });

  test('if the service requires an API key, esk tells the signed-in user to set ESK_API_KEY', async () => {
    const id = await tenant.createKey('free');
    const refused = await esk(['encrypt', '--key', id], { env, input: 'x' });
    expectFailure(refused, 3, new RegExp(`^esk: api_key_required: .+; set ESK_API_KEY .+ ${REQUEST}`));
  });

  test('if ESK_URL names a different service, esk does not send the token of the sign-in to that service', async () => {
    const elsewhere = await esk(['whoami'], { env: { ...env, ESK_URL: 'http://localhost:1' } });
    expectFailure(elsewhere, 4, /^esk: unauthorized: no credential found for http:\/\/localhost:1; [^\n]+\n$/);
  });
});

describe('renewal of access tokens', () => {
  test('an expired access token is renewed only once, even if several programs need it at the same time', async () => {
    const before = await readProfile();
    await writeFile(
      profileFile(),
      JSON.stringify({ ...JSON.parse(await readFile(profileFile(), 'utf8')), expires_at: 0 }),
    );
    const all = await Promise.all([1, 2, 3].map(() => run('whoami')));
    expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: '' }));
    const after = await readProfile();
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(after.expires_at).toBeGreaterThan(Date.now());
    expect(await readdir(join(configHome, 'esk'))).toEqual(['profile.json']);
  });

  test('an access token that the service refuses before it expires is renewed', async () => {
    const { access_token } = await readProfile();
    const refused = new Client(stack, 'a.b.c');
    expect((await refused.send('GET', '/v1/me')).status).toBe(401);
    const kept = JSON.parse(await readFile(profileFile(), 'utf8'));
    await writeFile(profileFile(), JSON.stringify({ ...kept, access_token: refused.token }));
    expect(await run('whoami')).toMatchObject({ code: 0, stderr: '' });
    expect((await readProfile()).access_token).not.toBe(access_token);
  });
});

test('an API key is created, listed, changed and revoked, and creation prints only the token to standard output', async () => {
  const first = idOf(await json('keys', 'create', 'first', '--tier', 'wrapped'));
  await json('firewalls', 'create', 'office', '--networks', '127.0.0.1,192.0.2.0/24');
  const limits = ['--actions', 'wrap,unwrap', '--keys', 'first', '--firewall', 'office'];
  const created = await run('api-keys', 'create', 'app', ...limits);
  expect(created.code).toBe(0);
  const token = created.stdout.toString().trimEnd();
  expect(token).toMatch(/^esk_[a-z2-7]{26}_[\w-]{43}$/);
  expect(created.stderr).not.toContain(token);
  const [app] = z
    .array(z.looseObject({ id: z.string(), key_ids: z.array(z.string()).nullable() }))
    .parse(await json('api-keys', 'list'))
    .slice(-1);
  expect(app).toMatchObject({ name: 'app', allowed_actions: ['wrap', 'unwrap'], key_ids: [first] });
  expect(app?.firewall_id).toEqual(expect.any(String));
  expect(await eskJson(['keys', 'list'], { env: { ...env, ESK_API_KEY: token } })).toMatchObject([{ id: first }]);

  const changed = await json(
    'api-keys',
    'update',
    'app',
    '--actions',
    'encrypt',
    '--name',
    'job',
    '--no-keys',
    '--no-firewall',
  );
  expect(changed).toMatchObject({ name: 'job', allowed_actions: ['encrypt'], key_ids: null, firewall_id: null });
  expect(await run('api-keys', 'revoke', 'job')).toMatchObject({ code: 0, stderr: '' });
  expectFailure(
    await esk(['keys', 'list'], { env: { ...env, ESK_API_KEY: token } }),
    4,
    new RegExp(`^esk: unauthorized: .+ ${REQUEST}`),
  );
  expectFailure(await run('api-keys', 'revoke', 'job'), 3, /^esk: not_found: /);
});

test('esk creates and changes expiry and federations of an API key', async () => {
  const issuer = workloadIssuerOf(portsOf(stack));
  const [one, other] = ['one', 'other'].map((sub) => ({ issuer, claims: { sub } }));
  const file = join(configHome, 'federations.json');
  await writeFile(file, JSON.stringify([one, other]));
  const options = ['--federations', file, '--expires-at', '2100-01-01T00:00:00.123456Z', '--without-token'];
  const created = await json('api-keys', 'create', 'ci', ...options);
  expect(created).toMatchObject({
    ...{ token: null, prefix: null, has_token: false, federations: [one, other] },
    expires_at: '2100-01-01T00:00:00.123456Z',
  });
  const fromStdin = ['api-keys', 'update', 'ci', '--federations', '-', '--expires-at', 'none', '--json'];
  const updated = await esk(fromStdin, { env, input: JSON.stringify([other]) });
  expect(updated.stderr).toBe('');
  expect(JSON.parse(updated.stdout.toString())).toMatchObject({ federations: [other], expires_at: null });
  expect(await run('api-keys', 'create', 'quiet', '--without-token')).toMatchObject({ code: 0, stderr: '' });
  await writeFile(file, '{}');
  expectFailure(await run('api-keys', 'update', 'ci', '--federations', file), 1, /must be a JSON list/);
  expectFailure(await run('api-keys', 'update', 'ci', '--federations', `${file} 2`), 1, /file_error/);
  expectFailure(await run('api-keys', 'update', 'ci', '--expires-at', 'soon'), 2, /2026-11-01T00:00:00Z/);
  const past = ['api-keys', 'update', 'ci', '--expires-at', '2020-01-01T00:00:00Z'];
  expectFailure(await run(...past), 3, /^esk: invalid_expires_at: /);
});

test('containers and firewalls are created, shown, changed and deleted', async () => {
  const container = idOf(await json('containers', 'create', 'billing'));
  const firewall = idOf(await json('firewalls', 'create', 'vpn', '--networks', '192.0.2.1', '--container', 'billing'));
  expect(await get(`/v1/firewalls/${firewall}`)).toMatchObject({
    container_id: container,
    allowed_ips: ['192.0.2.1/32'],
  });
  const update = ['--networks', '198.51.100.0/24,2001:DB8::/32', '--name', 'new vpn'];
  expect(await json('firewalls', 'update', 'vpn', ...update)).toEqual(await get(`/v1/firewalls/${firewall}`));
  expect(await json('firewalls', 'list')).toEqual(await get('/v1/firewalls'));
  expect(await json('containers', 'rename', 'billing', 'invoices')).toMatchObject({ id: container, name: 'invoices' });
  expectFailure(
    await run('containers', 'delete', 'invoices'),
    3,
    new RegExp(`^esk: container_not_empty: .+ ${REQUEST}`),
  );
  expect(await run('firewalls', 'delete', 'new vpn')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('containers', 'delete', 'invoices')).toMatchObject({ code: 0, stderr: '' });
  expect(await json('containers', 'list')).toEqual(await get('/v1/containers'));
  expect((await run('containers', 'list')).stdout.toString()).toMatch(
    /^NAME +IS DEFAULT +CREATED AT +ID\ndefault +true +/,
  );
});

test('esk billing shows what the API answers', async () => {
  expect(await json('billing', 'show')).toEqual(await get('/v1/billing'));
  expect(await json('billing', 'statement', '--period', '2026-10')).toEqual(
    await get('/v1/billing/statement?period=2026-10'),
  );
  expect((await run('billing', 'statement')).stdout.toString()).toMatch(
    /^period +\d{4}-\d\d\ncurrency +usd\ntotal cents +|^KEY NAME /,
  );
  expectFailure(
    await run('billing', 'statement', '--period', 'May'),
    3,
    new RegExp(`^esk: invalid_period: .+ ${REQUEST}`),
  );
});

describe('reports', () => {
  let keyId: string;
  beforeAll(async () => {
    keyId = await tenant.createKey('software', 'reported');
    await control(stack, 'POST', '/usage', { key_id: keyId, period: '2026-10', ops: 7 });
    // The service refuses the empty name, which adds a failed event to the audit log.
    for (const name of ['reported, once', 'reported "twice"', '']) {
      await tenant.api.send('PATCH', `/v1/keys/${keyId}`, { name });
    }
  });

  test('monthly and daily usage reports show what the API answers', async () => {
    expect(await json('usage', '--period', '2026-10')).toEqual(await get('/v1/usage?period=2026-10'));
    expect(await json('usage', '--period', '2026-10', '--daily')).toEqual(await get('/v1/usage/daily?period=2026-10'));
  });

  test('usage reports as CSV have a heading even without data', async () => {
    const monthly = await run('usage', '--period', '2026-10', '--csv', '--key', keyId);
    const [container] = z.array(z.object({ container_id: z.string() })).parse(await json('usage', '--key', keyId));
    expect(monthly.stdout.toString()).toMatch(/^key_id,container_id,ops,overage_ops,cap,allowance\r\n/);
    expect(monthly.stdout.toString()).toContain(`\r\n${keyId},${container?.container_id},7,7,100000,0`);
    const daily = await run('usage', '--period', '2026-10', '--daily', '--csv', '--key', keyId);
    expect(daily.stdout.toString()).toBe(
      `day,key_id,container_id,ops\r\n2026-10-31,${keyId},${container?.container_id},7\r\n`,
    );
    expect((await run('usage', '--period', '2020-01', '--daily', '--csv')).stdout.toString()).toBe(
      'day,key_id,container_id,ops\r\n',
    );
  });

  test('the audit log is printed whole or filtered, as JSON and as CSV', async () => {
    const events = z
      .array(z.record(z.string(), z.string().nullable()))
      .parse(await get(`/v1/audit?key_id=${keyId}&limit=1000`));
    expect(events.length).toBeGreaterThan(3);
    expect(await json('audit', '--key', keyId)).toEqual(events);
    const failed = events.filter(({ result }) => result === 'error');
    expect(failed).toHaveLength(1);
    expect(await json('audit', '--key', 'reported "twice"', '--operation', 'rename_key', '--result', 'error')).toEqual(
      failed,
    );
    const fields = [
      'id',
      'ts',
      'operation',
      'result',
      'error_code',
      'request_id',
      'key_id',
      'api_key_id',
      'user_id',
      'target_id',
      'workload',
      'changes',
    ];
    const lines = [fields, ...events.map((event) => fields.map((field) => event[field] ?? ''))];
    const csv = await run('audit', '--key', keyId, '--csv');
    expect(csv.stdout.toString()).toBe(lines.map((line) => `${line.join(',')}\r\n`).join(''));
  });

  test('the audit log can be filtered by times with microseconds', async () => {
    const events = z.array(z.looseObject({ ts: z.string() })).parse(await get(`/v1/audit?key_id=${keyId}`));
    const [since, until] = [events.at(2)?.ts ?? '', events.at(0)?.ts ?? ''];
    expect(await json('audit', '--key', keyId, '--since', since, '--until', until)).toEqual(events.slice(1, 3));
    expectFailure(await run('audit', '--since', '2026-11-01'), 3, new RegExp(`^esk: invalid_query: .+ ${REQUEST}`));
  });
});

test('a first sign-in creates a tenant, and esk logout ends the sign-in', async () => {
  const home = await mkdtemp(join(tmpdir(), 'esk-config-'));
  const own = { XDG_CONFIG_HOME: home };
  const subject = randomUUID();
  expect(await logIn({ subject }, { env: { ...own, ESK_URL: stack.baseUrl } })).toMatchObject({ code: 0 });
  expect((await (await signIn(stack, subject)).send('GET', '/v1/containers')).status).toBe(200);
  const { refresh_token } = profile.parse(JSON.parse(await readFile(join(home, 'esk', 'profile.json'), 'utf8')));
  const { issuer, client_id } = z
    .looseObject({ issuer: z.string(), client_id: z.string() })
    .parse(await get('/v1/sign-in'));
  expect(await esk(['logout'], { env: own })).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
  expect(await readdir(join(home, 'esk'))).toEqual([]);
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token });
  const renewal = await fetch(`${issuer}/token`, { method: 'POST', body });
  expect(await renewal.json()).toMatchObject({ error: 'invalid_grant' });
  expectFailure(await esk(['whoami'], { env: own }), 4, /^esk: unauthorized: no credential found; [^()]+\n$/);
  expect(await esk(['logout'], { env: own })).toMatchObject({ code: 0 });
  await rm(home, { recursive: true });
});
