import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { esk } from '../support/esk.ts';
import { expectFailure } from '../support/esk-failure.ts';
import { answer, refuse, type Step, scriptedServer } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = scriptedServer();
const folder = temporaryFolder();
const env = () => ({ ESK_URL: server.url, ESK_API_KEY: 'a.b.c' });
const run = (...args: string[]) => esk(args, { env: env() });
const calls = () => server.requests.map(({ call }) => call);

const ADA = '6f1ed002-ab5e-4a3c-9d57-0c2f8f0a7b11';
const BOB = '6f1ed002-ab5e-4a3c-9d57-0c2f8f0a7b12';
const EVE = '6f1ed002-ab5e-4a3c-9d57-0c2f8f0a7b13';
const AT = '2026-11-20T10:11:12.123456Z';
const MEMBERS = [
  { user_id: ADA, email: 'ada@example.com', name: 'Ada', role: 'owner', joined_at: AT },
  { user_id: BOB, email: 'shared@example.com', name: null, role: 'admin', joined_at: AT },
  { user_id: EVE, email: 'Shared@example.com', name: null, role: 'auditor', joined_at: AT },
];
const TOKEN = `esi_${'a'.repeat(26)}_${'b'.repeat(26)}_${'C'.repeat(43)}`;
const ME = {
  user: { id: ADA, email: 'ada@example.com', name: 'Ada' },
  tenant: { id: BOB, name: 'Acme', created_at: AT },
  role: 'auditor',
};
const PREVIEW = {
  tenant_name: 'Acme',
  role: 'auditor',
  note: 'yearly\u001b[2J',
  invited_by: { email: 'bob@example.com', name: 'Bob' },
  expires_at: AT,
};

test('a member can be named by email address, in upper or lower case, or by user id, which needs no lookup', async () => {
  server.play(answer(200, MEMBERS), answer(204));
  expect(await run('members', 'remove', 'ADA@example.com', '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(calls()).toEqual(['GET /v1/members', `DELETE /v1/members/${ADA}`]);
  server.play(answer(200, MEMBERS[1] ?? {}));
  expect(await run('members', 'set-role', BOB.toUpperCase(), 'admin')).toMatchObject({ code: 0, stderr: '' });
  expect(server.requests.at(-1)).toMatchObject({ call: `PATCH /v1/members/${BOB}`, body: { role: 'admin' } });
  expect(calls()).toHaveLength(3);
});

test('an email address that belongs to no member or to several members is refused', async () => {
  server.play(answer(200, MEMBERS));
  expectFailure(
    await run('members', 'set-role', 'zoe@example.com', 'admin'),
    3,
    /^esk: not_found: no member has the email address "zoe@example.com"/,
  );
  const ambiguous = await run('members', 'remove', 'shared@example.com', '--yes');
  expectFailure(ambiguous, 3, /^esk: ambiguous: more than one member has the email address "shared@example.com"/);
  expect(ambiguous.stderr).toContain(`${BOB}, ${EVE}`);
  expect(calls()).toEqual(['GET /v1/members', 'GET /v1/members']);
});

test('the token of a new invitation is printed only to standard output', async () => {
  const own = { id: ADA, role: 'auditor', note: null, created_by: BOB, created_at: AT, expires_at: AT, token: TOKEN };
  server.play(answer(201, own));
  const { code, stdout, stderr } = await run('members', 'invite', '--role', 'auditor');
  expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: `${TOKEN}\n` });
  expect(stderr).toMatch(new RegExp(`^Created invitation ${ADA} for the role auditor; it expires at 2026-11-20T`));
  expect(stderr).not.toContain(TOKEN);
  expect(server.requests).toMatchObject([{ call: 'POST /v1/invitations', body: { role: 'auditor' } }]);
});

/** The service's answers when an invitation is previewed and accepted. */
const toAcme: readonly Step[] = [answer(200, PREVIEW), answer(200, ME)];

test('esk join prints who sent the invitation, accepts it and prints the tenant', async () => {
  const file = join(folder.path, 'mira.token');
  await writeFile(file, `${TOKEN}\n`);
  server.play(...toAcme);
  const { code, stdout, stderr } = await run('join', file, '--yes');
  expect(stderr).toBe(
    'Bob (bob@example.com) invites you to the tenant "Acme" with the role auditor. Note: "yearly\\u001b[2J". The invitation expires at 2026-11-20T10:11:12.123Z.\n',
  );
  expect({ code, stdout: stdout.toString() }).toEqual({
    code: 0,
    stdout: `tenant       ${BOB}\ntenant name  Acme\nrole         auditor\n`,
  });
  expect(server.requests).toMatchObject([
    { call: 'POST /v1/invitations/preview', body: { token: TOKEN } },
    { call: 'POST /v1/invitations/accept', body: { token: TOKEN } },
  ]);
});

test('esk join - reads the token from a link on standard input', async () => {
  server.play(...toAcme);
  const input = `https://console.example.com/join#${TOKEN}\r\n`;
  const { code, stdout } = await esk(['join', '-', '--yes', '--json'], { env: env(), input });
  expect({ code, me: JSON.parse(stdout.toString()) }).toEqual({ code: 0, me: ME });
  expect(server.requests[0]).toMatchObject({ body: { token: TOKEN } });
});

test('esk join refuses a file without a token, and sends nothing', async () => {
  const file = join(folder.path, 'notes.txt');
  await writeFile(file, 'a secret\n');
  const ended = await run('join', file, '--yes');
  expectFailure(ended, 1, /^esk: invalid_invitation: \S+notes\.txt does not contain an invitation token\n$/);
  expectFailure(await run('join', join(folder.path, 'none'), '--yes'), 1, /^esk: file_error: /);
  expect(calls()).toEqual([]);
});

test('esk join refuses a token as its argument, and its error message does not repeat the token', async () => {
  const ended = await run('join', TOKEN, '--yes');
  expectFailure(ended, 2, /^esk: usage: the argument must be a file, not a token/);
  expect(ended.stderr).not.toContain(TOKEN);
});

test('esk join does not accept an invitation that cannot be previewed', async () => {
  server.play(refuse(404, 'not_found'));
  expectFailure(await esk(['join', '-', '--yes'], { env: env(), input: TOKEN }), 3, /^esk: not_found: /);
  expect(calls()).toEqual(['POST /v1/invitations/preview']);
});

test('esk whoami shows the tenant’s name and the role', async () => {
  server.play(answer(200, ME));
  const { stdout } = await run('whoami');
  expect(stdout.toString()).toMatch(/\ntenant +\S+\ntenant name +Acme\nrole +auditor\n$/);
});

test('esk audit --target filters by the target’s id', async () => {
  server.play(answer(200, []));
  expect(await run('audit', '--target', ADA, '--operation', 'change_role')).toMatchObject({ code: 0 });
  const [call = ''] = calls();
  expect(Object.fromEntries(new URL(call.replace('GET ', ''), server.url).searchParams)).toMatchObject({
    target_id: ADA,
    operation: 'change_role',
  });
});
