import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { portsOf, workloadIssuerOf } from '../../../../emulators/stack/ports.ts';
import { control } from '../../../../test/support/client.ts';
import { encrypt, operate, rotate } from '../../../../test/support/operations.ts';
import { Client, makeTenant, signIn, type Tenant } from '../../../../test/support/tenant.ts';
import { atTerminal, esk, eskHere, eskJson, expectFailure, hasTerminal, REQUEST } from '../../support/esk.ts';
import { failureOf, signedIn } from '../../support/objects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stack = inject('stack');
const folder = temporaryFolder();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

/** The environment of a person or an API key: ESK_API_KEY also accepts the access token of a person. */
const as = ({ token = '' }: Client) => ({ env: { ESK_URL: stack.baseUrl, ESK_API_KEY: token } });
const words = (line: string) => line.split(' ');
const run = (line: string, client = tenant.console) => eskHere(words(line), as(client));
const json = (line: string, client = tenant.console) => eskJson(words(line), as(client));
const get = async (path: string) => (await tenant.console.send('GET', path)).body;
const stateOf = async (id: string) => (await tenant.api.send('GET', `/v1/keys/${id}`)).body;
const idOf = (answer: unknown) => z.object({ id: z.string() }).parse(answer).id;
const list = (answer: unknown) => z.array(z.looseObject({ id: z.string() })).parse(answer);
const refusal = (code: string) => new RegExp(`^esk: ${code}: .+ ${REQUEST}`);

describe('keys', () => {
  test('a key is created, shown, renamed, frozen, rotated, deleted, restored and destroyed, as the API says', async () => {
    const { stdout } = await esk(words('keys create orders --tier software --json'), as(tenant.api));
    const id = idOf(JSON.parse(stdout.toString()));
    expect(await json('keys get orders')).toEqual(await stateOf(id));
    expect(await json('keys list', tenant.api)).toEqual((await tenant.api.send('GET', '/v1/keys')).body);
    expect(await json(`keys rename ${id} sales`)).toMatchObject({ id, name: 'sales' });
    const frozen = await json('keys freeze sales');
    expect(frozen).toEqual(await stateOf(id));
    expect((await run('keys list')).stdout.toString()).toContain(`active  ${Object(frozen).frozen_at}`);
    expectFailure(await run('keys rotate sales --yes'), 3, refusal('key_frozen'));
    expect((await run('keys rotate sales --dry-run')).stdout.toString()).toMatch(/^The key is frozen: thaw it/);
    expect(await json('keys thaw sales')).toMatchObject({ id, frozen_at: null });
    expect(await json('keys rotate sales')).toMatchObject({ id, primary_version: 2 });
    expect(await json('keys delete sales')).toEqual(await stateOf(id));
    expect(await json('keys restore sales')).toMatchObject({ id, state: 'active' });
    const events = await get(`/v1/keys/${id}/audit`);
    expect(await json('keys audit sales')).toEqual(events);
    expect(await json('audit --key sales', tenant.api)).toEqual(events);
    expect(await run('keys destroy sales --yes')).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    expectFailure(await run(`keys get ${id}`), 3, refusal('not_found'));
    expect(await json(`keys audit ${id} --limit 1`)).toMatchObject([{ operation: 'destroy_key' }]);
  });

  test('rotate --dry-run describes the rotation, also for an API key that may not rotate, and changes nothing', async () => {
    const id = await tenant.createKey('software', 'archive');
    const { client } = await tenant.mint({ allowed_actions: ['encrypt'] });
    const ciphertext = await encrypt(tenant.api, id, 'AAAA');
    await rotate(tenant.api, id, 2);
    await operate(tenant.api, id, 'decrypt', { ciphertext });
    const before = [await stateOf(id), await get(`/v1/keys/${id}/audit`)];
    const { stdout } = await run('keys rotate archive --dry-run', client);
    expect(stdout.toString()).toMatch(
      /\nVersion 1 is retired: .+\nIn the last 30 days, 1 of 2 operations needed an older/,
    );
    expect(await json('keys rotate archive --dry-run')).toEqual(await get(`/v1/keys/${id}/rotation`));
    expect([await stateOf(id), await get(`/v1/keys/${id}/audit`)]).toEqual(before);
  });
});

describe('administration', () => {
  test('an API key with an expiry and federations is created, listed, changed and revoked, and creation prints only the token to standard output', async () => {
    const first = idOf(await json('keys create first --tier wrapped'));
    await json('firewalls create office --networks 127.0.0.1,192.0.2.0/24');
    const federations = [{ issuer: workloadIssuerOf(portsOf(stack)), claims: { sub: 'one' } }];
    const file = join(folder.path, 'federations.json');
    await writeFile(file, JSON.stringify(federations));
    const expiry = '--expires-at 2100-01-01T00:00:00.123456Z';
    const line = `api-keys create app --actions wrap,unwrap --keys first --firewall office --federations ${file} ${expiry}`;
    const created = await esk(words(line), as(tenant.console));
    const token = created.stdout.toString().trimEnd();
    expect(token).toMatch(/^esk_[a-z2-7]{26}_[\w-]{43}$/);
    expect(created.stderr).not.toContain(token);
    expect(list(await json('api-keys list')).at(-1)).toMatchObject({
      ...{ name: 'app', allowed_actions: ['wrap', 'unwrap'], key_ids: [first], firewall_id: expect.any(String) },
      ...{ federations, expires_at: '2100-01-01T00:00:00.123456Z' },
    });
    const app = new Client(stack, token);
    expect(await json('keys list', app)).toMatchObject([{ id: first }]);
    const changed = await json(
      'api-keys update app --actions encrypt --name job --no-keys --no-firewall --expires-at none',
    );
    expect(changed).toMatchObject({
      ...{ name: 'job', allowed_actions: ['encrypt'], key_ids: null, firewall_id: null, expires_at: null },
    });
    expectFailure(await run('api-keys update job --expires-at 2020-01-01T00:00:00Z'), 3, refusal('invalid_expires_at'));
    expect(await json('api-keys create ci --without-token')).toMatchObject({ token: null, has_token: false });
    expect(await run('api-keys revoke job')).toMatchObject({ code: 0, stderr: '' });
    expectFailure(await run('keys list', app), 4, refusal('unauthorized'));
    expectFailure(await run('api-keys revoke job'), 3, /^esk: not_found: /);
  });

  test('containers and firewalls are created, shown, changed and deleted', async () => {
    const { stdout } = await esk(words('containers create billing --json'), as(tenant.console));
    const container = idOf(JSON.parse(stdout.toString()));
    const firewall = idOf(await json('firewalls create vpn --networks 192.0.2.1 --container billing'));
    expect(await get(`/v1/firewalls/${firewall}`)).toMatchObject({
      ...{ container_id: container, allowed_ips: ['192.0.2.1/32'] },
    });
    const update = 'firewalls update vpn --networks 198.51.100.0/24,2001:DB8::/32 --name tunnel';
    expect(await json(update)).toEqual(await get(`/v1/firewalls/${firewall}`));
    expect(await json('firewalls list')).toEqual(await get('/v1/firewalls'));
    expect(await json('containers rename billing invoices')).toMatchObject({ id: container, name: 'invoices' });
    expect(await json('keys create third --tier wrapped --container invoices')).toMatchObject({
      container_id: container,
    });
    expectFailure(await run('containers delete invoices'), 3, refusal('container_not_empty'));
    expect(await run('keys destroy third --yes')).toMatchObject({ code: 0 });
    expect(await run('firewalls delete tunnel')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('containers delete invoices')).toMatchObject({ code: 0, stderr: '' });
    expect(await json('containers list')).toEqual(await get('/v1/containers'));
  });
});

describe('reports', () => {
  let keyId: string;
  beforeAll(async () => {
    keyId = await tenant.createKey('software', 'reported');
    await control(stack, 'POST', '/usage', { key_id: keyId, period: '2026-10', ops: 7 });
    // The service refuses the empty name, which adds a failed event to the audit log.
    for (const name of ['reported, once', 'reported "twice"', ''])
      await tenant.api.send('PATCH', `/v1/keys/${keyId}`, { name });
  });

  test('usage and billing show what the API answers', async () => {
    const month = 'period=2026-10';
    for (const [line, path] of [
      ['usage --period 2026-10', `/v1/usage?${month}`],
      ['usage --period 2026-10 --daily', `/v1/usage/daily?${month}`],
      ['billing show', '/v1/billing'],
      ['billing statement --period 2026-10', `/v1/billing/statement?${month}`],
    ] as const) {
      expect(await json(line)).toEqual(await get(path));
    }
    expect((await run(`usage --period 2026-10 --csv --key ${keyId}`)).stdout.toString()).toContain(',7,7,100000,0\r\n');
  });

  test('the audit log is printed whole or filtered, with times in microseconds, as JSON and as CSV', async () => {
    const events = list(await get(`/v1/audit?key_id=${keyId}&limit=1000`));
    expect(events.length).toBeGreaterThan(3);
    expect(await json(`audit --key ${keyId}`)).toEqual(events);
    const failed = events.filter(({ result }) => result === 'error');
    expect(failed).toHaveLength(1);
    const filters = ['audit', '--key', 'reported "twice"', '--operation', 'rename_key', '--result', 'error'];
    expect(await eskJson(filters, as(tenant.console))).toEqual(failed);
    const [since, until] = [events.at(2)?.ts, events.at(0)?.ts];
    expect(await json(`audit --key ${keyId} --since ${since} --until ${until}`)).toEqual(events.slice(1, 3));
    expectFailure(await run('audit --since 2026-11-01'), 3, refusal('invalid_query'));
    const csv = (await run(`audit --key ${keyId} --csv`)).stdout.toString().trimEnd().split('\r\n');
    expect(csv.slice(1).map((line) => line.split(',').slice(0, 3))).toEqual(
      events.map(({ id, ts, operation }) => [id, ts, operation]),
    );
  });
});

describe('members', () => {
  /** A signed-in person with their own empty tenant. */
  let mira: Client;
  beforeAll(async () => {
    await signedIn(tenant.console).renameTenant('Acme');
    mira = await signIn(stack, randomUUID(), { email: 'mira@example.com', name: 'Mira' });
    await mira.send('GET', '/v1/me');
  });

  /** Creates an invitation with `esk`. Returns the path of a file that contains the invitation's token. */
  async function invite(role: string): Promise<string> {
    const { code, stdout } = await run(`members invite --role ${role} --note yearly`);
    expect(code).toBe(0);
    const file = join(folder.path, randomUUID());
    await writeFile(file, stdout);
    return file;
  }

  test('a person is invited, joins with a token from a file, is listed, gets another role and is removed', async () => {
    const file = await invite('auditor');
    expect(await json('members invitations')).toMatchObject([{ role: 'auditor', note: 'yearly' }]);
    const joined = await esk(['join', file, '--yes'], as(mira));
    expect({ code: joined.code, stdout: joined.stdout.toString() }).toEqual({
      code: 0,
      stdout: `tenant       ${tenant.id}\ntenant name  Acme\nrole         auditor\n`,
    });
    expect(await json('members invitations')).toEqual([]);
    expect(await json('whoami', mira)).toMatchObject({ tenant: { id: tenant.id, name: 'Acme' }, role: 'auditor' });
    expect(await json('members list')).toEqual(await get('/v1/members'));
    for (const line of ['containers create hers', 'members invite --role owner'])
      expectFailure(await run(line, mira), 3, refusal('role_not_allowed'));
    const { user_id } = Object(await json('members set-role mira@example.com admin'));
    expect(await json('containers create hers', mira)).toMatchObject({ name: 'hers' });
    const changes = await json(`audit --target ${user_id}`);
    expect(changes).toMatchObject([{ operation: 'change_role', target_id: user_id, key_id: null }]);
    expect(await run('members remove mira@example.com --yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await failureOf(signedIn(mira).listMembers())).toMatchObject({ code: 'no_tenant', status: 403 });
    expectFailure(await run('members remove mira@example.com --yes'), 3, /^esk: not_found: no member has /);
  });

  test.skipIf(!hasTerminal)(
    'esk join and esk members remove ask at a terminal (skipped without `script`)',
    async () => {
      const file = await invite('auditor');
      const guest = await signIn(stack, randomUUID(), { email: 'guest@example.com' });
      await guest.send('GET', '/v1/me');
      const refused = await atTerminal(['join', file], 'no\n', as(guest));
      expect(refused.code).toBe(1);
      expect(refused.shown).toContain('invites you to the tenant "Acme"');
      expect(refused.shown).toMatch(/^esk: not_confirmed: /m);
      expect((await atTerminal(['join', file], 'yes\n', as(guest))).code).toBe(0);
      const removed = await atTerminal(['members', 'remove', 'guest@example.com'], 'yes\n', as(tenant.console));
      const shown = expect.stringContaining('This removes the auditor guest@example.com (');
      expect(removed).toEqual({ code: 0, shown });
      expect(await failureOf(signedIn(guest).listMembers())).toMatchObject({ code: 'no_tenant' });
    },
  );
});

describe.skipIf(!hasTerminal)('keys at a terminal (skipped if `script` is missing)', () => {
  test('keys destroy destroys a key only after the person has typed the key’s name', async () => {
    const id = await tenant.createKey('wrapped', 'scratch');
    const refused = await atTerminal(['keys', 'destroy', id], 'scratches\n', as(tenant.console));
    expect(refused.code).toBe(1);
    expect(refused.shown).toContain('Everything encrypted with it becomes permanently unreadable.');
    expect(refused.shown).toMatch(/^esk: not_confirmed: /m);
    expect(await stateOf(id)).toMatchObject({ state: 'active' });
    expect((await atTerminal(['keys', 'destroy', id], 'scratch\n', as(tenant.console))).code).toBe(0);
    expect(await stateOf(id)).toMatchObject({ error: 'not_found' });
  });

  test('keys rotate asks for confirmation only if old data becomes unreadable', async () => {
    await tenant.createKey('software', 'kept');
    const wrapped = await tenant.createKey('wrapped', 'lost');
    const kept = await atTerminal(['keys', 'rotate', 'kept'], '', as(tenant.console));
    expect(kept).toEqual({ code: 0, shown: expect.not.stringContaining('confirm') });
    // Ctrl-D ends the input without any text.
    const lost = await atTerminal(['keys', 'rotate', 'lost'], '\u0004', as(tenant.console));
    expect(lost).toEqual({ code: 1, shown: expect.stringContaining('permanently unreadable') });
    expect(await stateOf(wrapped)).toMatchObject({ primary_version: 1 });
    expect((await atTerminal(['keys', 'rotate', 'lost'], 'lost\n', as(tenant.console))).code).toBe(0);
    expect(await stateOf(wrapped)).toMatchObject({ primary_version: 2 });
  });

  test('headings are bold unless NO_COLOR is set, and binary ciphertext is not written to the terminal', async () => {
    const { env } = as(tenant.console);
    expect((await atTerminal(['keys', 'list'], '', { env })).shown).toContain('\u001b[1mNAME');
    const plain = await atTerminal(['keys', 'list'], '', { env: { ...env, NO_COLOR: '1' } });
    expect(plain).toEqual({ code: 0, shown: expect.not.stringContaining('\u001b[1m') });
    const { code, shown } = await atTerminal(['encrypt', '--key', 'kept', '/dev/null'], '', { env });
    expect({ code, shown }).toEqual({ code: 2, shown: expect.stringContaining('use -o FILE or --armor') });
  });
});
