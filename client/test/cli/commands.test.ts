import { writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { ROOT } from '../../../test/sources.ts';
import { errorLine, explain } from '../../src/cli/explain.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { atTerminal, esk, eskHere, expectFailure, hasTerminal, REQUEST, runProgram } from '../support/esk.ts';
import { KEY_JSON as KEY } from '../support/objects.ts';
import { answer, lose, refuse, type Step, scriptedServer } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = scriptedServer();
const folder = temporaryFolder();
const env = () => ({ ESK_URL: server.url, ESK_API_KEY: 'a.b.c' });

const id = (last: number) => `6f1ed002-ab5e-4a3c-9d57-0c2f8f0a7b${last}`;
const [ADA, BOB, EVE, OTHER] = [id(11), id(12), id(13), id(14)];
const AT = '2026-11-20T10:11:12.123456Z';
const TOKEN = `esi_${'a'.repeat(26)}_${'b'.repeat(26)}_${'C'.repeat(43)}`;
const CONTAINER = { id: KEY.container_id, name: 'eu', is_default: true, created_at: AT };
const NETWORKS = { container_id: CONTAINER.id, allowed_ips: ['192.0.2.0/24'], updated_at: AT };
const FIREWALL = { id: id(21), name: 'office', ...NETWORKS };
const API_KEY = {
  id: id(22),
  name: 'ci',
  container_id: KEY.container_id,
  allowed_actions: ['wrap', 'unwrap'],
  token: null,
};
/** A rotation makes everything that this key encrypted unreadable. */
const WRAPPED = { ...KEY, id: OTHER, name: 'notes', tier: 'wrapped' };
const MEMBERS = [
  { user_id: ADA, email: 'ada@example.com', name: 'Ada', role: 'owner', joined_at: AT },
  { user_id: BOB, email: 'shared@example.com', name: null, role: 'admin', joined_at: AT },
  { user_id: EVE, email: 'Shared@example.com', name: null, role: 'auditor', joined_at: AT },
];
const INVITATION = { id: OTHER, role: 'auditor', note: 'yearly', created_by: ADA, created_at: AT, expires_at: AT };
const EVENT = { id: id(31), ts: AT, operation: 'encrypt', result: 'error', error_code: 'not_found', key_id: KEY.id };
const ME = { user: { id: ADA, email: null, name: 'Ada' }, tenant: { id: BOB, name: 'Acme' }, role: 'auditor' };
const USAGE = { key_id: KEY.id, container_id: CONTAINER.id, ops: 7, overage_ops: 0, cap: null, allowance: 10_000 };
const DAY = { day: '2026-10-31', key_id: KEY.id, container_id: CONTAINER.id, ops: 7 };
const PREVIEW = {
  ...{ tenant_name: 'Acme', role: 'auditor', note: 'yearly\u001b[2J', expires_at: AT },
  invited_by: { email: 'bob@example.com', name: 'Bob' },
};
const ROTATION = {
  ...{ next_version: 2, keeps: [1], retires: [] },
  recent: { since: '2026-10-26', ops: 0, older_version_ops: 0, last_older_use: null },
};
const BILLING = { standing: 'good', subscription: null };
const STATEMENT = { period: '2026-10', currency: 'usd', total_cents: 0, lines: [] };

const BIG_BOB = BOB.toUpperCase();
const TOKEN_ID = API_KEY.id;
const IDS: Readonly<Record<string, string>> = {
  ...{ KEY: KEY.id, CONTAINER: CONTAINER.id, FIREWALL: FIREWALL.id, TOKEN_ID, ADA, BOB, BIG_BOB, OTHER },
};

const answering = (body: unknown, ...routes: string[]) => Object.fromEntries(routes.map((route) => [route, body]));

/** The service: what it answers to each route, whatever the id. */
const SERVICE: Readonly<Record<string, unknown>> = {
  ...answering(KEY, 'POST /v1/keys', ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/keys/ID`)),
  ...answering(KEY, ...['restore', 'freeze', 'thaw', 'rotate'].map((change) => `POST /v1/keys/ID/${change}`)),
  ...answering(CONTAINER, 'POST /v1/containers', 'PATCH /v1/containers/ID'),
  ...answering(FIREWALL, 'POST /v1/firewalls', 'PATCH /v1/firewalls/ID'),
  ...answering(API_KEY, 'POST /v1/api-keys', 'PATCH /v1/api-keys/ID'),
  ...answering(MEMBERS[1], 'PATCH /v1/members/ID'),
  ...answering(undefined, 'POST /v1/keys/ID/destroy', 'DELETE /v1/containers/ID', 'DELETE /v1/firewalls/ID'),
  ...answering(undefined, 'DELETE /v1/api-keys/ID', 'DELETE /v1/members/ID', 'DELETE /v1/invitations/ID'),
  ...answering(ME, 'GET /v1/me', 'POST /v1/invitations/accept'),
  ...answering([EVENT], 'GET /v1/audit', 'GET /v1/keys/ID/audit'),
  'GET /v1/keys': [KEY, WRAPPED],
  'GET /v1/keys/ID/rotation': ROTATION,
  'GET /v1/containers': [CONTAINER],
  'GET /v1/firewalls': [FIREWALL],
  'GET /v1/api-keys': [API_KEY],
  'GET /v1/members': MEMBERS,
  'GET /v1/invitations': [INVITATION],
  'POST /v1/invitations': { ...INVITATION, token: TOKEN },
  'POST /v1/invitations/preview': PREVIEW,
  'GET /v1/usage': [USAGE, { ...USAGE, key_id: OTHER }],
  'GET /v1/usage/daily': [DAY],
  'GET /v1/billing': BILLING,
  'GET /v1/billing/statement': STATEMENT,
};
const CREATED = /^POST \/v1\/(keys|containers|firewalls|api-keys|invitations)$/;
const serve: Step = (response, request) => {
  const route = request.call.replace(/\?.*/, '').replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
  const body = SERVICE[route];
  const status = body === undefined ? 204 : CREATED.test(route) ? 201 : 200;
  (route in SERVICE ? answer(status, body) : refuse(404, 'not_found'))(response, request);
};
beforeEach(() => server.play(serve));

const calls = () => server.requests.map(({ call, body }) => `${call}${body ? ` ${JSON.stringify(body)}` : ''}`);
const run = (line: string) => eskHere(line.split(' '), { env: env() });

/** Each command: its line, its requests, and what it prints without `--json`. Words in capitals are ids. */
const TABLE = String.raw`
keys list | GET /v1/keys | ^NAME +TIER +STATE +FROZEN AT +PRIMARY VERSION +CREATED AT +ID\norders +software +active +-
keys list --container eu | GET /v1/containers; GET /v1/keys | \norders
keys get orders | GET /v1/keys | KEY_LIST
keys get KEY | GET /v1/keys/KEY | KEY_LIST
keys create orders --tier software | POST /v1/keys {"name":"orders","tier":"software"} | KEY_LIST
keys create orders --tier hsm --container eu | GET /v1/containers; POST /v1/keys {"name":"orders","tier":"hsm","container_id":"CONTAINER"} | KEY_LIST
keys rename orders bills | GET /v1/keys; PATCH /v1/keys/KEY {"name":"bills"} | KEY_LIST
keys delete orders | GET /v1/keys; DELETE /v1/keys/KEY | KEY_LIST
keys restore orders | GET /v1/keys; POST /v1/keys/KEY/restore | KEY_LIST
keys freeze orders | GET /v1/keys; POST /v1/keys/KEY/freeze | KEY_LIST
keys thaw orders | GET /v1/keys; POST /v1/keys/KEY/thaw | KEY_LIST
keys rotate orders --yes | GET /v1/keys; POST /v1/keys/KEY/rotate | KEY_LIST
keys rotate orders --dry-run | GET /v1/keys; GET /v1/keys/KEY/rotation | ^Version 2 becomes the primary version\.\n
keys destroy orders --yes | GET /v1/keys; POST /v1/keys/KEY/destroy | ^$
keys audit orders --limit 5 | GET /v1/keys; GET /v1/keys/KEY/audit?limit=5 | ^TS +OPERATION +RESULT +ERROR CODE +KEY ID
containers list | GET /v1/containers | ^NAME +IS DEFAULT +CREATED AT +ID\neu +true +
containers create eu | POST /v1/containers {"name":"eu"} | ^id +\S+\nname +eu\n
containers rename eu us | GET /v1/containers; PATCH /v1/containers/CONTAINER {"name":"us"} | ^id +\S+\nname +eu\n
containers delete eu | GET /v1/containers; DELETE /v1/containers/CONTAINER | ^$
firewalls list | GET /v1/firewalls | ^NAME +ALLOWED IPS +UPDATED AT +ID\noffice +192\.0\.2\.0/24
firewalls create office --networks 192.0.2.1,::/0 --container eu | GET /v1/containers; POST /v1/firewalls {"name":"office","allowed_ips":["192.0.2.1","::/0"],"container_id":"CONTAINER"} | \nname +office\n
firewalls update office --networks ::/0 --name vpn | GET /v1/firewalls; PATCH /v1/firewalls/FIREWALL {"name":"vpn","allowed_ips":["::/0"]} | \nname +office\n
firewalls delete office | GET /v1/firewalls; DELETE /v1/firewalls/FIREWALL | ^$
api-keys list | GET /v1/api-keys | ^NAME +ALLOWED ACTIONS +KEY IDS .+\nci +wrap, unwrap +-
api-keys create ci --actions wrap,unwrap --keys orders --firewall office --expires-at 2100-01-01T00:00:00.123456Z --without-token | GET /v1/keys; GET /v1/firewalls; POST /v1/api-keys {"name":"ci","allowed_actions":["wrap","unwrap"],"key_ids":["KEY"],"firewall_id":"FIREWALL","expires_at":"2100-01-01T00:00:00.123456Z","without_token":true} | \nname +ci\n
api-keys update ci --name job --no-keys --no-firewall --expires-at none | GET /v1/api-keys; PATCH /v1/api-keys/TOKEN_ID {"name":"job","key_ids":null,"firewall_id":null,"expires_at":null} | \nname +ci\n
api-keys update ci --actions none | GET /v1/api-keys; PATCH /v1/api-keys/TOKEN_ID {"allowed_actions":[]} | \nname +ci\n
api-keys revoke ci | GET /v1/api-keys; DELETE /v1/api-keys/TOKEN_ID | ^$
members list | GET /v1/members | ^EMAIL +NAME +ROLE +JOINED AT +USER ID\nada@example\.com +Ada +owner
members invitations | GET /v1/invitations | ^ROLE +NOTE +CREATED AT .+\nauditor +yearly
members revoke OTHER | DELETE /v1/invitations/OTHER | ^$
members set-role ada@EXAMPLE.com admin | GET /v1/members; PATCH /v1/members/ADA {"role":"admin"} | \nrole +admin\n
members set-role BIG_BOB admin | PATCH /v1/members/BOB {"role":"admin"} | \nrole +admin\n
members remove ada@example.com --yes | GET /v1/members; DELETE /v1/members/ADA | ^$
whoami | GET /v1/me | \ntenant +\S+\ntenant name +Acme\nrole +auditor\n$
usage --period 2026-10 | GET /v1/keys; GET /v1/usage?period=2026-10 | ^KEY ID +CONTAINER ID +OPS +OVERAGE OPS +CAP +ALLOWANCE +FROZEN AT\n
usage --daily --key orders | GET /v1/keys; GET /v1/usage/daily?key_id=KEY | ^DAY .+\n2026-10-31 .+ 7\n$
audit --key orders --operation encrypt --result error --since 2026-11-20 --until 2026-11-21 --target ADA --user BOB --limit 9 | GET /v1/keys; GET /v1/audit?key_id=KEY&user_id=BOB&target_id=ADA&operation=encrypt&result=error&since=2026-11-20&until=2026-11-21&limit=9 | ^TS .+\n2026-11-20T10:11:12\.123456Z +encrypt +error +not_found
billing show | GET /v1/billing | ^standing +good\n
billing statement --period 2026-10 | GET /v1/billing/statement?period=2026-10 | ^period +2026-10\ncurrency +usd\ntotal cents +0\n
`
  .trim()
  .replaceAll('KEY_LIST', String.raw`^id +[0-9a-f-]{36}\nname +orders\ntier +software\n`)
  .replaceAll(/\b(?:KEY|CONTAINER|FIREWALL|TOKEN_ID|ADA|BOB|BIG_BOB|OTHER)\b(?! ID)/g, (name) => IDS[name] ?? '')
  .split('\n')
  .map((row) => row.split(' | '))
  .map(([line = '', requests = '', printed = '']) => [line, requests.split('; '), new RegExp(printed)] as const);

describe('commands', () => {
  test.each(TABLE)(
    'esk %s sends its requests and prints the result, and with --json the answer',
    async (line, expected, printed) => {
      const plain = await run(line);
      expect(plain).toMatchObject({ code: 0, stderr: '' });
      expect(calls()).toEqual(expected);
      expect(plain.stdout.toString()).toMatch(printed);
      const asJson = await run(`${line} --json`);
      expect(asJson).toMatchObject({ code: 0, stderr: '' });
      const [last = ''] = expected.slice(-1);
      const route = last
        .split(/[? ]/)
        .slice(0, 2)
        .join(' ')
        .replace(/\/[0-9a-f-]{36}/, '/ID');
      const body = line.startsWith('keys get') ? KEY : SERVICE[route];
      expect(asJson.stdout.toString()).toBe(body === undefined ? '' : `${JSON.stringify(body)}\n`);
    },
  );

  test('the table has every command, except those that other files test', () => {
    const leaves = (command: Command, path: string): string[] =>
      command.commands.length === 0 ? [path] : command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`));
    const elsewhere = ['encrypt', 'decrypt', 'rewrap', 'login', 'logout', 'doctor', 'completion', 'help', 'join'];
    const more = [...elsewhere, 'keys recipient', 'members invite', 'audit follow', 'audit verify'];
    const missing = makeProgram()
      .commands.flatMap((one) => leaves(one, one.name()))
      .filter((path) => !TABLE.some(([line]) => line === path || line.startsWith(`${path} `)));
    expect(missing.toSorted()).toEqual(more.toSorted());
  });

  test('CSV has a heading, also without data, and all fields of the API', async () => {
    expect((await run('usage --csv --key orders')).stdout.toString()).toBe(
      `key_id,container_id,ops,overage_ops,cap,allowance\r\n${KEY.id},${CONTAINER.id},7,0,,10000\r\n`,
    );
    server.play(answer(200, []));
    expect((await run('usage --daily --csv')).stdout.toString()).toBe('day,key_id,container_id,ops\r\n');
    server.play(answer(200, [{ ...EVENT, workload: { issuer: 'i', subject: 's' }, changes: null }]));
    expect((await run('audit --csv')).stdout.toString()).toBe(
      `id,ts,operation,result,error_code,request_id,key_id,api_key_id,user_id,target_id,workload,changes\r\n${EVENT.id},${AT},encrypt,error,not_found,,${KEY.id},,,,"{""issuer"":""i"",""subject"":""s""}",\r\n`,
    );
  });

  test.each([
    ['is refused with 429', refuse(429, 'rate_limited'), 'rate_limited'],
    ['loses its connection', lose, 'answer_lost'],
  ])('audit follow waits and goes on if its first request %s', async (_, step, code) => {
    server.play(step, serve);
    const ended = await esk(['audit', 'follow', '--once'], { env: { ESK_URL: server.url, ESK_ACCESS_TOKEN: 'a' } });
    expect(ended).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
    expect(ended.stderr).toMatch(new RegExp(`^esk: ${code}: .*; trying again in \\d s\\n$`));
  });

  test('audit follow ends when the token in its file becomes that of another tenant, whose events it does not print', async () => {
    const token = join(folder.path, 'token');
    await writeFile(token, 'first');
    server.play((response, request) => {
      const isFirst = request.headers.authorization === 'Bearer first';
      const date = `Fri, 20 Nov 2026 1${isFirst ? 0 : 1}:00:00 GMT`;
      const isMe = request.call === 'GET /v1/me';
      if (isMe && isFirst) writeFileSync(token, 'second');
      const body = isMe ? { ...ME, tenant: { id: isFirst ? ADA : BOB } } : isFirst ? [] : [EVENT];
      answer(200, body, { date })(response, request);
    });
    const own = { ESK_URL: server.url, ESK_ACCESS_TOKEN_FILE: token };
    const ended = await esk(['audit', 'follow', '--once'], { env: own });
    expectFailure(ended, 4, new RegExp(`^esk: unauthorized: .+ for tenant ${BOB}, but esk follows tenant ${ADA}\n`));
  });

  test('audit verify reads the checkpoint that an earlier release kept, unless --checkpoint names another', async () => {
    const [config, state] = [join(folder.path, 'config'), join(folder.path, 'state')];
    const kept = join(state, 'esk/checkpoints', encodeURIComponent(new URL(server.url).host));
    await mkdir(kept, { recursive: true });
    await writeFile(join(kept, `${BOB}.txt`), 'damaged');
    const own = { ...env(), XDG_CONFIG_HOME: config, XDG_STATE_HOME: state };
    expectFailure(await eskHere(['audit', 'verify'], { env: own }), 1, /^esk: invalid_checkpoint: \S+\/state\/esk/);
    const verify = ['audit', 'verify', '--checkpoint', join(config, 'mine')];
    expectFailure(await eskHere(verify, { env: own }), 3, /^esk: not_found: /);
  });

  test('usage shows which keys are frozen', async () => {
    server.play(answer(200, [{ ...KEY, frozen_at: AT }]), answer(200, [USAGE, { ...USAGE, key_id: OTHER }]));
    const { stdout } = await run('usage');
    expect(stdout.toString()).toMatch(new RegExp(`\\n${KEY.id} .* 10000 +${AT}\\n${OTHER} .* 10000 +-\\n$`));
  });

  test('federations are read from a file or from standard input, and must be a JSON list', async () => {
    const file = join(folder.path, 'ci.json');
    const federations = [{ issuer: 'https://ci.example', claims: { sub: 'one' } }];
    const input = JSON.stringify(federations);
    await writeFile(file, input);
    expect(await run(`api-keys create ci --federations ${file}`)).toMatchObject({ code: 0 });
    const fromInput = await esk(['api-keys', 'update', API_KEY.id, '--federations', '-'], { env: env(), input });
    expect(fromInput).toMatchObject({ code: 0 });
    expect(server.requests.map(({ body }) => body)).toEqual([{ name: 'ci', federations }, { federations }]);
    await writeFile(file, '{}');
    expectFailure(await run(`api-keys update ci --federations ${file}`), 1, /must be a JSON list/);
    await writeFile(file, '[{"issuer":"https://ci.example","claims":{"sub":"one","sub":"two"}}]');
    expectFailure(await run(`api-keys update ci --federations ${file}`), 1, /has two members with the same name/);
  });

  test('rotate needs --yes without a terminal if old data becomes unreadable, and destroy always', async () => {
    const message = /^esk: usage: esk keys rotate makes .+ unreadable; pass --yes, or /;
    expectFailure(await run('keys rotate notes'), 2, message);
    expect(calls()).toEqual(['GET /v1/keys']);
    expect(await run('keys rotate orders')).toMatchObject({ code: 0 });
  });

  test('a name that is unknown or ambiguous is refused, and a container makes it unique', async () => {
    expectFailure(await run('keys get nobody'), 3, /^esk: not_found: no key is named "nobody"/);
    const twin = { ...KEY, id: OTHER, container_id: OTHER };
    server.play((response, request) =>
      answer(200, request.call.includes('keys') ? [KEY, twin] : [CONTAINER])(response, request),
    );
    expectFailure(await run('keys get orders'), 3, new RegExp(`^esk: ambiguous: .+${KEY.id}, ${OTHER}`));
    for (const container of ['eu', CONTAINER.id]) {
      const { stdout } = await run(`keys get orders --container ${container}`);
      expect(stdout.toString()).toMatch(/^id .+\nname +orders\n/);
    }
    server.play(serve);
    expectFailure(await run('members set-role zoe@example.com admin'), 3, /^esk: not_found: no member has .+ "zoe@/);
    const ambiguous = await run('members remove shared@example.com --yes');
    expectFailure(ambiguous, 3, new RegExp(`^esk: ambiguous: more than one member has .+${BOB}, ${EVE}`));
  });

  test('an empty name of a firewall is unknown, and removes no restriction', async () => {
    const update = await eskHere(['api-keys', 'update', API_KEY.id, '--firewall', ''], { env: env() });
    expectFailure(update, 3, /^esk: not_found: no firewall is named ""/);
    expect(calls()).toEqual(['GET /v1/firewalls']);
  });

  test('an API key that may not read the tenant’s log reads the log of its key', async () => {
    const session = refuse(403, 'session_required');
    server.play(session, answer(200, [EVENT]));
    expect((await run(`audit --key ${KEY.id} --json`)).stdout.toString()).toBe(`${JSON.stringify([EVENT])}\n`);
    server.play(session);
    expectFailure(await run(`audit --key ${KEY.id} --user ${ADA}`), 3, /^esk: session_required: /);
  });

  test('a new token is printed only to standard output', async () => {
    server.play(serve, answer(201, { ...API_KEY, token: 'esk_new' }));
    const invited = await run('members invite --role auditor --note yearly');
    const created = await run('api-keys create ci');
    expect([invited.stdout.toString(), created.stdout.toString()]).toEqual([`${TOKEN}\n`, 'esk_new\n']);
    expect(invited.stderr).toMatch(/^Created invitation \S+ for the role auditor; it expires at 2026-11-20T/);
    for (const { code, stderr } of [invited, created])
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/esi_|esk_new/) });
    expect(calls()).toEqual([
      'POST /v1/invitations {"role":"auditor","note":"yearly"}',
      'POST /v1/api-keys {"name":"ci"}',
    ]);
  });
});

describe('esk join', () => {
  test('esk join prints who sent the invitation, accepts it and prints the tenant', async () => {
    const file = join(folder.path, 'mira.token');
    await writeFile(file, `${TOKEN}\n`);
    expect(await run(`join ${file} --yes`)).toMatchObject({
      ...{ code: 0, stdout: Buffer.from(`tenant       ${BOB}\ntenant name  Acme\nrole         auditor\n`) },
      stderr:
        'Bob (bob@example.com) invites you to the tenant "Acme" with the role auditor. Note: "yearly\\u001b[2J". The invitation expires at 2026-11-20T10:11:12.123Z.\n',
    });
    const body = JSON.stringify({ token: TOKEN });
    expect(calls()).toEqual([`POST /v1/invitations/preview ${body}`, `POST /v1/invitations/accept ${body}`]);
  });

  test('esk join - reads the token from a link on standard input', async () => {
    const input = `https://console.example.com/join#${TOKEN}\r\n`;
    const joined = await esk(['join', '-', '--yes', '--json'], { env: env(), input });
    expect(joined).toMatchObject({ code: 0, stdout: Buffer.from(`${JSON.stringify(ME)}\n`) });
    expect(server.requests[0]).toMatchObject({ body: { token: TOKEN } });
  });

  test('esk join refuses a file without a token and a token as its argument, and accepts only what it could preview', async () => {
    const file = join(folder.path, 'notes.txt');
    await writeFile(file, 'a secret\n');
    const withoutToken = /^esk: invalid_invitation: \S+notes\.txt does not contain an invitation token\n$/;
    expectFailure(await run(`join ${file} --yes`), 1, withoutToken);
    expectFailure(await run(`join ${folder.path}/none --yes`), 1, /^esk: file_error: /);
    const notSecret = /^esk: usage: the argument must be a file, not a token(?!.*esi_)/;
    expectFailure(await run(`join ${TOKEN} --yes`), 2, notSecret);
    expect(calls()).toEqual([]);
    server.play(refuse(404, 'not_found'));
    await writeFile(file, TOKEN);
    expectFailure(await run(`join ${file} --yes`), 3, new RegExp(`^esk: not_found: .+ ${REQUEST}`));
    expect(server.requests.map(({ call }) => call)).toEqual(['POST /v1/invitations/preview']);
  });
});

describe.skipIf(!hasTerminal)('commands at a terminal (skipped without `script`)', () => {
  const unconfirmed = '[^]*\nesk: not_confirmed: ';
  test.each([
    ['keys destroy orders', 'order\n', 1, `permanently unreadable${unconfirmed}`, 'GET /v1/keys'],
    ['keys destroy orders', 'orders\n', 0, 'permanently unreadable', `POST /v1/keys/${KEY.id}/destroy`],
    ['keys rotate orders', '', 0, '^(?![^]*confirm)', `POST /v1/keys/${KEY.id}/rotate`],
    // Ctrl-D ends the input without any text.
    ['keys rotate notes', '\u0004', 1, 'permanently unreadable', 'GET /v1/keys'],
    ['keys rotate notes', 'notes\n', 0, 'permanently unreadable', `POST /v1/keys/${OTHER}/rotate`],
    ['join token', 'no\n', 1, `invites you to the tenant "Acme"${unconfirmed}`, 'POST /v1/invitations/preview'],
    ['join token', 'yes\n', 0, 'invites you to the tenant "Acme"', 'POST /v1/invitations/accept'],
    ['members remove ada@example.com', 'no\n', 1, `removes the owner ada@.*${unconfirmed}`, 'GET /v1/members'],
    ['members remove ada@example.com', 'yes\n', 0, 'removes the owner ada@', `DELETE /v1/members/${ADA}`],
    ['encrypt --key orders /dev/null', '', 2, 'use -o FILE or --armor', undefined],
  ])('esk %s asks only if it destroys or joins; after %j, it exits with %i', async (line, typed, code, shown, last) => {
    await writeFile(join(folder.path, 'token'), TOKEN);
    const ended = await atTerminal(line.split(' '), typed, { env: env(), cwd: folder.path });
    expect(ended).toEqual({ code, shown: expect.stringMatching(shown.replaceAll('\n', '\r?\n')) });
    expect(server.requests.at(-1)?.call).toBe(last);
  });

  test('headings are bold unless NO_COLOR is set', async () => {
    const shownWith = async (more: Record<string, string>) =>
      (await atTerminal(['keys', 'list'], '', { env: { ...env(), ...more } })).shown;
    expect(await shownWith({})).toContain('\u001b[1mNAME');
    expect(await shownWith({ NO_COLOR: '1' })).not.toContain('\u001b[1m');
  });
});

describe('a proxy', () => {
  test.each([
    ['no exception', {}, ['service.test:443']],
    ['an exception', { NO_PROXY: '127.0.0.2' }, ['service.test:443']],
    ['exceptions for all hosts', { NO_PROXY: '*' }, []],
  ])('with %s, the metadata server is asked without the proxy', async (_, excluded, proxied) => {
    const asked: string[] = [];
    let tokens = 0;
    // One server is both the metadata server and the proxy, which does not reach anything.
    const both = createServer((_request, response) => void response.end(`token${++tokens}`));
    both.on('connect', ({ url = '' }, socket) => {
      asked.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await listen(both, 0);
    onTestFinished(() => void both.close().closeAllConnections());
    const host = `127.0.0.1:${portOf(both)}`;
    const google = { ESK_WORKLOAD: 'google', ESK_API_KEY_ID: API_KEY.id, GCE_METADATA_HOST: host };
    const proxy = { HTTP_PROXY: `http://${host}`, HTTPS_PROXY: `http://${host}` };
    const own = { ESK_URL: 'https://service.test', ...google, ...proxy, ...excluded };
    expect(await esk(['keys', 'list'], { env: own })).toMatchObject({ code: 5 });
    expect([...new Set(asked)]).toEqual(proxied);
    expect(tokens).toBeGreaterThan(0);
  });
});

describe('wrong usage', () => {
  const NOWHERE = { ESK_URL: 'http://127.0.0.1:1', ESK_API_KEY: 'esk_x' };

  test.each([
    [[], /no command given/],
    [['keys'], /no command given/],
    [['keys', 'rotat'], /unknown command 'rotat'.+rotate/],
    [['keys', 'get'], /missing required argument 'key'/],
    [['keys', 'get', 'one', 'two'], /too many arguments/],
    [['keys', 'create', 'orders'], /required option '--tier <tier>'/],
    [['encrypt', 'file'], /required option '--key <key>'/],
    [['encrypt', '--key', 'orders', '--contxt', 'x'], /unknown option '--contxt'.+--context/],
    [['rewrap'], /missing required argument 'file'/],
    [['rewrap', 'file', '-'], /cannot rewrap standard input/],
    [['usage', '--json', '--csv'], /cannot be used with/],
    [['audit', '--operation', 'read'], /'read' is invalid/],
    [['audit', '--since', 'yesterday'], /'yesterday' is invalid/],
    [['audit', '--container', 'eu'], /--container also needs --key/],
    [['usage', '--container', 'eu'], /--container also needs --key/],
    [['encrypt', '--key', 'orders', '--context', 'caf\ufffd'], /not valid UTF-8/],
    [['audit', '--limit', '0'], /'0' is invalid/],
    ...['0', '3601', 'soon', '-1'].map((s): [string[], RegExp] => [['audit', 'follow', '--interval', s], /interval/]),
    ...['--key=a', '--since=2026-11-01', '--result=error', '--csv'].flatMap((option): [string[], RegExp][] => [
      [['audit', 'follow', option], /audit follow has no option --[a-z]+\n/],
      [['audit', option, 'verify'], /audit verify has no option --[a-z]+\n/],
    ]),
    [['api-keys', 'update', 'ci', '--actions', ''], /argument '' is invalid\. The list is empty/],
    [['api-keys', 'update', 'ci', '--keys', ','], /argument ',' is invalid\. The list is empty/],
    ...['keys', 'firewall'].flatMap((name): [string[], RegExp][] => [
      [['api-keys', 'update', 'ci', `--${name}=a`, `--no-${name}`], /use either --[a-z]+ or --no-[a-z]+/],
      [['api-keys', 'update', 'ci', `--no-${name}`, `--${name}=a`], /use either --[a-z]+ or --no-[a-z]+/],
    ]),
    [['api-keys', 'update', 'ci', '--actions=wrap', '--actions=none'], /either none or a list/],
    [['api-keys', 'update', 'ci', '--actions=none', '--actions=wrap'], /either none or a list/],
    [['firewalls', 'update', 'office', '--networks', ' '], /The list is empty/],
    [['audit', 'follow', '--json'], /audit follow has no option --json/],
    [['api-keys', 'update', 'ci', '--expires-at', 'soon'], /2026-11-01T00:00:00Z/],
    [['keys', 'destroy', 'orders'], /permanently destroys data; pass --yes/],
    [['members', 'invite'], /required option '--role <role>'/],
    [['members', 'invite', '--role', 'boss'], /'boss' is invalid.+owner, admin, auditor/],
    [['members', 'set-role', 'ada@example.com', 'boss'], /'boss' is invalid/],
    [['members', 'remove', 'ada@example.com'], /ends the access of a person; pass --yes/],
    [['join'], /missing required argument 'file'/],
    [['join', 'missing'], /changes your tenant; pass --yes/],
    [['completion', 'tcsh'], /'tcsh' is invalid/],
    [['help', 'key'], /unknown command 'key'; see esk help\n/],
    [['help', 'keys', 'creat'], /unknown command 'keys creat'; see esk help keys\n/],
    [['help', 'keys', 'create', 'orders'], /unknown command 'keys create orders'; see esk help keys create\n/],
  ])('esk %j exits with 2 and explains the error in one line, without a request', async (args, message) => {
    const ended = await eskHere(args, { env: NOWHERE });
    expectFailure(ended, 2, /^esk: usage: (?!.*\(request )/);
    expect(ended.stderr).toMatch(message);
  });

  const INVALID = { ESK_API_KEY: 'esk_x\ny' };
  test.each<[string, Record<string, string>, number, RegExp]>([
    ['no address', { ESK_URL: '' }, 2, /^esk: usage: .*ESK_URL is not set/],
    ['an invalid address', { ESK_URL: 'api.example.com' }, 2, /usage: api\.example\.com: url is not a valid URL/],
    [
      'an address with a password',
      { ESK_URL: 'https://me:secret@a.b' },
      2,
      /usage: (?!.*secret).*not contain a user name/,
    ],
    ['an unencrypted address', { ESK_URL: 'http://192.0.2.1' }, 2, /^esk: usage: .*https/],
    ['only empty variables', { ESK_URL: '', ESK_API_KEY: '' }, 4, /^esk: unauthorized: no credential found; /],
    ['an invalid token', INVALID, 4, /^esk: unauthorized: ESK_API_KEY is not a valid token\n$/],
  ])('given %s, esk explains the error in one line, without secrets', async (_, environment, code, message) => {
    const env = { ...NOWHERE, XDG_CONFIG_HOME: '', ...environment };
    expectFailure(await eskHere(['keys', 'list'], { env }), code, message);
  });

  test.each([
    [['--token=SECRET'], "unknown option '--token'"],
    [['keys', 'list', "--token=a'SECRET\nb"], "unknown option '--token'"],
    [['keys', 'list', '-tSECRET'], "unknown option '-t'"],
    [['keys', 'list', '--json=SECRET'], "unknown option '--json'"],
    [['encrypt', '--key', 'k', '--contxt=SECRET'], "unknown option '--contxt'"],
    [['encrypt', '--key', 'k', '--contxt'], "unknown option '--contxt' (Did you mean --context?)"],
  ])('the error about an unknown option does not repeat the option’s value: esk %j', async (args, message) => {
    const refused = await makeProgram()
      .parseAsync(args, { from: 'user' })
      .catch((error: unknown) => error);
    expect(errorLine(explain(refused))).toBe(`esk: usage: ${message}`);
  });

  const runWith = (line: string, more: Record<string, string> = {}) => eskHere(line.split(' '), { env: more });

  test('without a URL, esk doctor says how to check the service', async () => {
    const line = /^esk: unauthorized: no credential found; .+; to check .+, set ESK_URL\n$/;
    expectFailure(await runWith('doctor'), 4, line);
  });

  test('an invalid profile is an error, and esk logout removes it', async () => {
    await mkdir(join(folder.path, 'esk'));
    await writeFile(join(folder.path, 'esk', 'profile.json'), '{"url":1}');
    const own = { XDG_CONFIG_HOME: folder.path };
    expectFailure(await runWith('keys list', own), 1, /^esk: invalid_profile: [^()]+\n$/);
    // If the environment has all settings, the profile is not read.
    const remote = { ...own, ...NOWHERE, ESK_URL: 'http://192.0.2.1' };
    expectFailure(await runWith('keys list', remote), 2, /^esk: usage: http:\/\/192\.0\.2\.1: /);
    expect(await runWith('logout', own)).toMatchObject({ code: 0 });
    expectFailure(await runWith('keys list', own), 4, /^esk: unauthorized: /);
  });
});

describe('the program', () => {
  test.each(['esk.js', 'age-plugin-esk.js'])(
    '%s runs from a checkout, and its first line passes no options to env, because Alpine’s env does not support options',
    async (name) => {
      const file = join(ROOT, 'client/bin', name);
      expect(await readFile(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
      const { code, stdout } = await runProgram(process.execPath, [file, '--help']);
      expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^Usage: /)]);
    },
  );

  test.each(['--help', 'help', 'help keys', 'keys rotate --help'])(
    'esk %s prints the help, with examples, to standard output',
    async (line) => {
      const { code, stdout, stderr } = await run(line);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.toString()).toMatch(/^Usage: esk.*\n(?:.*\n)*Examples:\n {2}# /);
    },
  );

  test.each(['', 'keys ', 'keys create ', 'audit verify '])('esk help %sprints the same as --help', async (path) => {
    const { stdout } = await run(`help ${path}`.trim());
    expect(stdout.toString()).toBe((await run(`${path}--help`)).stdout.toString());
  });

  test('the version is printed to standard output', async () => {
    expect((await run('--version')).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('every command has a description, and no option accepts a secret', () => {
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const commands = all(makeProgram());
    expect(commands.length).toBeGreaterThan(30);
    for (const command of commands) {
      expect(command.description(), command.name()).not.toBe('');
      for (const { flags } of command.options.filter((one) => one.required || one.optional))
        expect(flags).not.toMatch(/token|secret|password|credential/);
    }
  });
});
