import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { type Client, makeTenant, signIn, type Tenant } from '../../../../test/support/tenant.ts';
import { signedIn } from '../../support/as-tenant.ts';
import { esk, eskJson } from '../../support/esk.ts';
import { expectFailure, REQUEST } from '../../support/esk-failure.ts';
import { failureOf } from '../../support/failure-of.ts';
import { atTerminal, hasTerminal } from '../../support/terminal.ts';

const stack = inject('stack');
const member = z.looseObject({ user_id: z.string(), role: z.string() });
const ids = z.looseObject({ id: z.string() });
let folder: string;
let tenant: Tenant;
/** A signed-in person with their own empty tenant. */
let mira: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esk-members-'));
  tenant = await makeTenant(stack);
  await signedIn(tenant.console).renameTenant('Acme');
  mira = await signIn(stack, randomUUID(), { email: 'mira@example.com', name: 'Mira' });
  await mira.send('GET', '/v1/me');
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the options to run `esk` as a person. ESK_API_KEY also accepts the person's access token. */
const as = ({ token = '' }: Client) => ({ env: { ESK_URL: stack.baseUrl, ESK_API_KEY: token } });
const run = (...args: string[]) => esk(args, as(tenant.console));
const json = (...args: string[]) => eskJson(args, as(tenant.console));
const get = async (path: string) => (await tenant.console.send('GET', path)).body;

/** Creates an invitation with `esk`. Returns the path of a file that contains the invitation's token. */
async function invite(role: string): Promise<string> {
  const { code, stdout } = await run('members', 'invite', '--role', role, '--note', 'yearly audit');
  expect(code).toBe(0);
  const file = join(folder, randomUUID());
  await writeFile(file, stdout);
  return file;
}

test('a person is invited, joins with a token from a file, is listed, gets another role and is removed', async () => {
  const file = await invite('auditor');
  const [invitation] = z.array(ids).parse(await json('members', 'invitations'));
  expect(invitation).toMatchObject({ role: 'auditor', note: 'yearly audit' });

  const joined = await esk(['join', file, '--yes'], as(mira));
  expect(joined.stderr).toMatch(
    /invites you to the tenant "Acme" with the role auditor\. Note: "yearly audit"\. The invitation expires at /,
  );
  expect({ code: joined.code, stdout: joined.stdout.toString() }).toEqual({
    code: 0,
    stdout: `tenant       ${tenant.id}\ntenant name  Acme\nrole         auditor\n`,
  });
  expect(await json('members', 'invitations')).toEqual([]);
  const whoami = (await esk(['whoami'], as(mira))).stdout.toString();
  expect(whoami).toMatch(new RegExp(`\ntenant +${tenant.id}\ntenant name +Acme\nrole +auditor\n$`));

  expect(await json('members', 'list')).toEqual(await get('/v1/members'));
  expect((await run('members', 'list')).stdout.toString()).toMatch(
    /^EMAIL +NAME +ROLE +JOINED AT +USER ID\n.+ owner .+\nmira@example\.com +Mira +auditor +/,
  );

  expectFailure(
    await esk(['containers', 'create', 'hers'], as(mira)),
    3,
    new RegExp(`^esk: role_not_allowed: .+ ${REQUEST}`),
  );
  expectFailure(
    await esk(['members', 'invite', '--role', 'owner'], as(mira)),
    3,
    new RegExp(`^esk: role_not_allowed: .+ ${REQUEST}`),
  );

  const { user_id } = member.parse(await json('members', 'set-role', 'mira@example.com', 'admin'));
  expect(await eskJson(['containers', 'create', 'hers'], as(mira))).toMatchObject({ name: 'hers' });
  const changes = z.array(z.looseObject({ operation: z.string() })).parse(await json('audit', '--target', user_id));
  expect(changes).toMatchObject([{ operation: 'change_role', target_id: user_id, key_id: null }]);

  expect(await run('members', 'remove', 'mira@example.com', '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(await failureOf(signedIn(mira).listMembers())).toMatchObject({ code: 'no_tenant', status: 403 });
  expectFailure(await run('members', 'remove', 'mira@example.com', '--yes'), 3, /^esk: not_found: no member has /);
});

test('nobody can join with a revoked invitation', async () => {
  const file = await invite('admin');
  const [invitation] = z.array(ids).parse(await json('members', 'invitations'));
  expect(await run('members', 'revoke', invitation?.id ?? '')).toMatchObject({ code: 0, stderr: '' });
  const somebody = await signIn(stack, randomUUID());
  expectFailure(await esk(['join', file, '--yes'], as(somebody)), 3, new RegExp(`^esk: not_found: .+ ${REQUEST}`));
});

test('the last owner cannot leave, and a member cannot join their own tenant', async () => {
  const [owner] = z.array(member).parse(await json('members', 'list'));
  expectFailure(await run('members', 'remove', owner?.user_id ?? '', '--yes'), 3, /^esk: last_owner: /);
  expectFailure(await run('members', 'set-role', owner?.user_id ?? '', 'admin'), 3, /^esk: last_owner: /);
  const file = await invite('admin');
  const ended = await esk(['join', file, '--yes'], as(tenant.console));
  expect(ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/\nesk: already_member: /) });
});

test('the library can invite and admit members, change their roles and remove them', async () => {
  const owner = signedIn(tenant.console);
  const { token, ...invitation } = await owner.inviteMember({ role: 'admin' });
  expect(invitation).toMatchObject({ role: 'admin', note: null, expires_at: expect.any(Date) });
  expect(await owner.listInvitations()).toContainEqual(invitation);
  const guest = signedIn(await signIn(stack, randomUUID()));
  expect(await guest.previewInvitation(token)).toMatchObject({ tenant_name: 'Acme', role: 'admin' });
  const me = await guest.acceptInvitation(token);
  expect(me).toMatchObject({ tenant: { id: tenant.id, name: 'Acme' }, role: 'admin' });
  expect(await guest.me()).toEqual(me);
  expect(await owner.changeRole(me.user.id, 'auditor')).toMatchObject({ user_id: me.user.id, role: 'auditor' });
  expect(await failureOf(guest.renameTenant('Hers'))).toMatchObject({ code: 'role_not_allowed', status: 403 });
  await guest.removeMember(me.user.id);
  expect(await failureOf(owner.removeMember(me.user.id))).toMatchObject({ code: 'not_found' });
  const left = await Array.fromAsync(owner.readAudit({ target_id: me.user.id }));
  expect(left.map(({ operation }) => operation)).toEqual(['remove_member', 'change_role']);
  expect(await owner.renameTenant(null)).toMatchObject({ id: tenant.id, name: null });
  await owner.renameTenant('Acme');
});

test.skipIf(!hasTerminal)(
  'esk join and esk members remove ask for confirmation at a terminal (skipped without `script`)',
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
    expect(removed).toEqual({
      code: 0,
      shown: expect.stringContaining('This removes the auditor guest@example.com ('),
    });
    expect(await failureOf(signedIn(guest).listMembers())).toMatchObject({ code: 'no_tenant' });
  },
);
