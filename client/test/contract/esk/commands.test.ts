import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { control } from '../../../../test/support/client.ts';
import { type Client, makeTenant, signIn, type Tenant } from '../../../../test/support/tenant.ts';
import { eskHere, eskJson, expectFailure, REQUEST } from '../../support/esk.ts';
import { failureOf, signedIn } from '../../support/objects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// These tests cover what the programs of the documentation do not show with the running service.

const stack = inject('stack');
const folder = temporaryFolder();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

/** The environment of a person or an API key: ESK_API_KEY also accepts the access token of a person. */
const as = ({ token = '' }: Client) => ({ env: { ESK_URL: stack.baseUrl, ESK_API_KEY: token } });
const run = (line: string, client = tenant.console) => eskHere(line.split(' '), as(client));
const json = (line: string, client = tenant.console) => eskJson(line.split(' '), as(client));
const get = async (path: string) => (await tenant.console.send('GET', path)).body;
const refusal = (code: string) => new RegExp(`^esk: ${code}: .+ ${REQUEST}`);

test('containers and firewalls are created, shown, changed and deleted', async () => {
  const { id: container_id } = Object(await json('containers create billing'));
  const { id } = Object(await json('firewalls create vpn --networks 192.0.2.1 --container billing'));
  expect(await get(`/v1/firewalls/${id}`)).toMatchObject({ container_id, allowed_ips: ['192.0.2.1/32'] });
  const update = 'firewalls update vpn --networks 198.51.100.0/24,2001:DB8::/32 --name tunnel';
  expect(await json(update)).toEqual(await get(`/v1/firewalls/${id}`));
  expect(await json('firewalls list')).toEqual(await get('/v1/firewalls'));
  expect(await json('containers rename billing invoices')).toMatchObject({ id: container_id, name: 'invoices' });
  expect(await json('keys create third --tier wrapped --container invoices')).toMatchObject({ container_id });
  expectFailure(await run('containers delete invoices'), 3, refusal('container_not_empty'));
  for (const line of ['keys destroy third --yes', 'firewalls delete tunnel', 'containers delete invoices'])
    expect(await run(line)).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
  expect(await json('containers list')).toEqual(await get('/v1/containers'));
});

test('usage, billing and the audit log, whole or filtered, are what the API answers', async () => {
  const keyId = await tenant.createKey('software', 'reported');
  await control(stack, 'POST', '/usage', { key_id: keyId, period: '2026-10', ops: 7 });
  // The service refuses the empty name, which adds a failed event to the audit log.
  for (const name of ['once', 'twice', '']) await tenant.api.send('PATCH', `/v1/keys/${keyId}`, { name });
  const month = 'period=2026-10';
  for (const [line, path] of [
    ['usage --period 2026-10', `/v1/usage?${month}`],
    ['usage --period 2026-10 --daily', `/v1/usage/daily?${month}`],
    ['billing show', '/v1/billing'],
    ['billing statement --period 2026-10', `/v1/billing/statement?${month}`],
    [`audit --key ${keyId}`, `/v1/audit?key_id=${keyId}&limit=1000`],
  ] as const) {
    expect(await json(line)).toEqual(await get(path));
  }
  const events = z.array(z.looseObject({ ts: z.string() })).parse(await json(`audit --key ${keyId}`));
  expect(await json('audit --key twice --operation rename_key --result error')).toEqual(events.slice(0, 1));
  const [since, until] = [events.at(2)?.ts, events.at(0)?.ts];
  expect(await json(`audit --key ${keyId} --since ${since} --until ${until}`)).toEqual(events.slice(1, 3));
  expectFailure(await run('audit --since 2026-11-01'), 3, refusal('invalid_query'));
});

test('a person is invited, joins with a token from a file, is listed, gets another role and is removed', async () => {
  await signedIn(tenant.console).renameTenant('Acme');
  const mira = await signIn(stack, randomUUID(), { email: 'mira@example.com', name: 'Mira' });
  await mira.send('GET', '/v1/me');
  const file = join(folder.path, 'token');
  await writeFile(file, (await run('members invite --role auditor --note yearly')).stdout);
  expect(await json('members invitations')).toMatchObject([{ role: 'auditor', note: 'yearly' }]);
  const joined = Buffer.from(`tenant       ${tenant.id}\ntenant name  Acme\nrole         auditor\n`);
  expect(await run(`join ${file} --yes`, mira)).toMatchObject({ code: 0, stdout: joined });
  expect(await json('members invitations')).toEqual([]);
  expect(await json('whoami', mira)).toMatchObject({ tenant: { id: tenant.id, name: 'Acme' }, role: 'auditor' });
  expect(await json('members list')).toEqual(await get('/v1/members'));
  expectFailure(await run('containers create hers', mira), 3, refusal('role_not_allowed'));
  const { user_id } = Object(await json('members set-role mira@example.com admin'));
  expect(await json('containers create hers', mira)).toMatchObject({ name: 'hers' });
  const changes = await json(`audit --target ${user_id}`);
  expect(changes).toMatchObject([{ operation: 'change_role', target_id: user_id, key_id: null }]);
  expect(await run('members remove mira@example.com --yes')).toMatchObject({ code: 0, stderr: '' });
  expect(await failureOf(signedIn(mira).listMembers())).toMatchObject({ code: 'no_tenant', status: 403 });
});

test('with an API key, esk doctor passes every check, except for billing', async () => {
  const findings = z.array(z.object({ check: z.string(), state: z.string() }));
  const { api } = await makeTenant(stack);
  await api.send('POST', '/v1/keys', { name: 'only', tier: 'software' });
  const others = findings.parse(await json('doctor', api)).filter(({ state }) => state !== 'ok');
  expect(others).toEqual([{ check: 'billing', state: 'skipped' }]);
});
