import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { readRedoLines } from '../../../operator/redo/read-lines.ts';
import { CLOSED } from '../../../shared/http/routing.ts';
import { ACTIONS } from '../../../shared/operations.ts';
import { ROOT } from '../../sources.ts';
import { list, NOWHERE, outcome, text } from '../../support/client.ts';
import { noteTenant } from '../../support/forget-rows.ts';
import { serviceSettings, signInSettings } from '../../support/second-service.ts';
import { DAY_MS, HOUR_MS } from '../../support/steer.ts';
import { accept, inviteTo, meOf } from '../../support/team.ts';
import { ALL_TIERS, Client, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = inject('stack');
const issuer = workloadIssuerOf(portsOf(stack));
const run = promisify(execFile);
const provisioned = z.strictObject({
  tenant_id: z.uuid(),
  container_id: z.uuid(),
  user_id: z.uuid().nullable(),
  api_key_id: z.uuid(),
  api_key: z.string().nullable(),
});

const UNKNOWN = randomUUID();

const refusal = (start: string) => ({
  code: 2,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^${RegExp.escape(start)}[^\\n]*\\n$`)),
});

async function operator(command: string, ...args: readonly string[]): Promise<unknown> {
  return JSON.parse((await runOperator(command, args)).stdout);
}

async function runOperator(command: string, args: readonly string[], input = '', clockAheadMs = 0) {
  const WORKLOAD_ISSUERS = JSON.stringify([{ issuer, claims: ['sub'] }]);
  const env = { PATH: process.env.PATH, ...serviceSettings(stack), ...signInSettings(stack), WORKLOAD_ISSUERS };
  const otherClock = `const { now } = Date;
    const read = () => now() + ${clockAheadMs};
    globalThis.Date = class extends Date {
      static now = read;
      constructor(...given) {
        super(...(given.length > 0 ? given : [read()]));
      }
    };`;
  const program = ['--import', `data:text/javascript,${encodeURIComponent(otherClock)}`, `operator/${command}.ts`];
  const running = run(process.execPath, [...program, ...args], { cwd: ROOT, env });
  running.child.stdin?.end(input);
  return running;
}

const provision = async (...args: readonly string[]) => provisioned.parse(await operator('provision', ...args));

describe.concurrent('operator/provision.ts', () => {
  test('provision creates a tenant and an API key with all actions', async () => {
    const made = await provision();
    expect(made.user_id).toBeNull();
    const api = new Client(stack, made.api_key ?? '');
    const created = await api.send('POST', '/v1/keys', { name: 'first', tier: 'free' });
    expect(created).toMatchObject({ status: 201, body: { container_id: made.container_id } });
    expect(outcome(await api.send('POST', `/v1/keys/${text(created, 'id')}/wrap`, {}))).toBe('200');
  });

  test('provision makes an API key for a workload, with an expiry and without a token', async () => {
    const federations = JSON.stringify([{ issuer, claims: { sub: 'job' } }]);
    const expiry = ['--expires-at', '2100-01-01T00:00:00.000001Z'];
    const made = await provision('--federations', federations, ...expiry, '--without-token');
    noteTenant(stack, made.tenant_id);
    expect(made.api_key).toBeNull();
    const job = new Client(stack, await workloadToken(stack, made.api_key_id, { sub: 'job' }));
    expect(outcome(await job.send('GET', '/v1/caller'))).toBe('200');
  });

  test('provision creates an API key in the default container of an existing tenant, and records what was given', async () => {
    const tenant = await makeTenant(stack);
    const keys = await Promise.all(ALL_TIERS.map((tier) => tenant.createKey(tier)));
    const made = await provision('--tenant', tenant.id, '--api-key');
    expect(made).toMatchObject({ tenant_id: tenant.id, user_id: null });
    const listed = list(await new Client(stack, made.api_key ?? '').send('GET', '/v1/keys'));
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(keys));
    const events = await tenant.console.send('GET', `/v1/audit?operation=create_api_key&target_id=${made.api_key_id}`);
    const given = { name: 'operator', allowed_actions: ACTIONS };
    const changes = Object.entries(given).map(([field, after]) => ({ field, before: null, after }));
    expect(events.body).toMatchObject([{ changes }]);
  });

  test('provision makes a subject an owner of an existing tenant, and changes nothing if repeated', async () => {
    const { id } = await makeTenant(stack);
    const subject = randomUUID();
    const link = () => operator('provision', '--tenant', id, '--subject', subject);
    const linked = provisioned.pick({ tenant_id: true, container_id: true, user_id: true }).parse(await link());
    const me = await (await signIn(stack, subject)).send('GET', '/v1/me');
    expect(me).toMatchObject({ status: 200, body: { user: { id: linked.user_id }, tenant: { id }, role: 'owner' } });
    expect(await link()).toEqual({ ...linked, user_id: null });
  });

  test('provision makes an existing member of the tenant an owner and records the change in the audit log', async () => {
    const tenant = await makeTenant(stack);
    const subject = randomUUID();
    const { id } = await accept(await signIn(stack, subject), (await inviteTo(tenant, 'auditor')).token);
    expect(await operator('provision', '--tenant', tenant.id, '--subject', subject)).toMatchObject({ user_id: id });
    expect((await meOf(await signIn(stack, subject))).role).toBe('owner');
    const changes = await tenant.console.send('GET', `/v1/audit?operation=change_role&target_id=${id}`);
    expect(changes.body).toMatchObject([{ result: 'success', user_id: null, api_key_id: null }]);
  });

  test('provision refuses a subject that belongs to another tenant, and changes nothing', async () => {
    const subject = randomUUID();
    const console = await signIn(stack, subject);
    const before = await meOf(console);
    const other = await makeTenant(stack);
    for (const more of [['--tenant', other.id], []]) {
      const refused = operator('provision', '--subject', subject, ...more);
      await expect(refused).rejects.toThrow(`--subject: belongs to another tenant, ${before.tenant.id}`);
    }
    expect(await meOf(console)).toEqual(before);
  });

  test.each([
    ['an unknown tenant', ['--tenant', UNKNOWN, '--api-key'], `provision: --tenant: no tenant ${UNKNOWN}`],
    ['a tenant id that is not a UUID', ['--tenant', 'acme'], 'provision: --tenant: not a UUID'],
    [
      'an unknown issuer',
      ['--federations', '[{"issuer":"https://a.example","claims":{"sub":"a"}}]'],
      'provision: federations.0.issuer must be',
    ],
    ['a federation outside a list', ['--federations', '{}'], 'provision: --federations: must be a JSON list'],
    ['federations that are not JSON', ['--federations', 'x'], 'provision: --federations: must be a JSON list'],
    ['a past expiry', ['--expires-at', '2020-01-01T00:00:00Z'], 'provision: expires_at must be a future time'],
    [
      'a tenant’s API key without --api-key',
      ['--tenant', UNKNOWN, '--without-token'],
      'provision: --federations, --expires-at, --without-token: add --api-key',
    ],
  ])('provision refuses %s with an error of one line', async (_, args, message) => {
    await expect(operator('provision', ...args)).rejects.toMatchObject(refusal(message));
  });
});

describe.concurrent("on a machine whose clock is minutes wrong, the operator's programs change nothing", () => {
  test.each([
    ['ahead', 180_000],
    ['behind', -180_000],
  ])('%s', async (which, aheadMs) => {
    const tenant = await makeTenant(stack);
    const { id } = await tenant.mint();
    const message = (program: string) => refusal(`${program}: this machine's clock is 1`);
    const states = async () => [
      (await tenant.console.send('GET', '/v1/api-keys')).body,
      (await tenant.console.send('GET', '/v1/audit')).body,
    ];
    const before = await states();
    for (const [program, ...args] of [
      ['revoke', id],
      ['provision', '--tenant', tenant.id, '--api-key'],
      ['provision'],
      ['restart-logs', '-'],
      ['after-restore', '--dry-run', '--since', new Date(Date.now() - HOUR_MS).toISOString(), '-'],
    ] as const) {
      const refused = runOperator(program, args, '[]', aheadMs);
      await expect(refused).rejects.toMatchObject(message(program));
      await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining(` seconds ${which}: set it`) });
    }
    expect(await states()).toEqual(before);
  });
});

describe.concurrent('operator/revoke.ts', () => {
  test.each<[string, (tenant: Tenant) => string]>([
    ['its id', ({ apiKeyId }) => apiKeyId],
    ['the beginning of its token', ({ api }) => String(api.token).slice(0, 30)],
    ['its prefix', ({ api }) => String(api.token).slice(4, 30)],
    ['its whole token', ({ api }) => String(api.token)],
  ])('revoke finds an API key by %s', async (_, name) => {
    const tenant = await makeTenant(stack);
    const other = await tenant.mint();
    expect(await operator('revoke', name(tenant))).toEqual({ tenant_id: tenant.id, api_key_id: tenant.apiKeyId });
    expect(outcome(await tenant.api.send('GET', '/v1/keys'))).toBe('401 unauthorized');
    expect(outcome(await other.client.send('GET', '/v1/keys'))).toBe('200');
  });

  test('revoke prints a line for the redo log to standard error', async () => {
    const { id, apiKeyId } = await makeTenant(stack);
    const { stderr } = await runOperator('revoke', [apiKeyId]);
    expect(readRedoLines(stderr)).toMatchObject([{ message: 'API key revoked', tenant_id: id, target_id: apiKeyId }]);
  });

  test('revoke succeeds for an API key that is already revoked, and prints the same output as for a valid API key', async () => {
    const { id, console, mint } = await makeTenant(stack);
    const revoked = await mint();
    await console.send('DELETE', `/v1/api-keys/${revoked.id}`);
    expect(await operator('revoke', revoked.id)).toEqual({ tenant_id: id, api_key_id: revoked.id });
  });

  test.each([
    ['an unknown API key', [UNKNOWN], `revoke: no API key has the id ${UNKNOWN}`],
    ['an incomplete token', ['esk_'], 'revoke: expected the id of an API key, or the first part of its token'],
  ])('revoke refuses %s with an error of one line', async (_, args, message) => {
    await expect(operator('revoke', ...args)).rejects.toMatchObject(refusal(message));
  });
});

describe.concurrent('operator/after-restore.ts', () => {
  const redo = async (lines: string, ...args: readonly string[]) =>
    (await runOperator('after-restore', args, lines)).stdout;
  /** Returns the time of a backup that was made now, the option for it, and a later time. */
  const backedUp = () => {
    const time = new Date().toISOString();
    return { time, since: ['--since', time], later: new Date(Date.parse(time) + 1).toISOString() };
  };
  const { since: anySince } = backedUp();
  let closed: Server;
  const service = () => ['--service', `http://127.0.0.1:${portOf(closed)}`];
  beforeAll(async () => {
    const body = JSON.stringify({ error: 'unavailable', message: CLOSED, request_id: 'one' });
    closed = createServer((_, response) => response.writeHead(503, { 'content-type': 'application/json' }).end(body));
    await listen(closed, 0);
  });
  afterAll(() => void closed.close());

  test('after-restore reapplies the changes that were made since the backup, and a second run finds them already applied', async () => {
    const { time, since, later } = backedUp();
    const tenant = await makeTenant(stack);
    const ids = { tenant_id: tenant.id, target_id: tenant.apiKeyId };
    const line = { message: 'API key revoked', ...ids, commit_time: later };
    const { id } = await tenant.mint();
    await tenant.console.send('DELETE', `/v1/api-keys/${id}`);
    const old = { ...line, target_id: id, commit_time: time };
    const entries = JSON.stringify([line, old].map((jsonPayload) => ({ jsonPayload })));
    const report = (applied: number, already: number) =>
      expect.stringMatching(
        new RegExp(`^2 lines, 1 of them after the backup\\n\\n[^]*API key revoked +${applied} +${already} +0 +0\\n`),
      );
    expect(await redo(entries, ...since, '--dry-run', '-')).toEqual(report(1, 0));
    expect(outcome(await tenant.api.send('GET', '/v1/keys'))).toBe('200');
    expect(await redo(entries, ...since, ...service(), '-')).toEqual(report(1, 0));
    expect(outcome(await tenant.api.send('GET', '/v1/keys'))).toBe('401 unauthorized');
    expect(await redo(entries, ...since, ...service(), '-')).toEqual(report(0, 1));
  });

  test('after-restore exits with 1 and names the change that failed', async () => {
    const { since, later } = backedUp();
    const tenant = await makeTenant(stack);
    const { user } = await meOf(tenant.console);
    const ids = { tenant_id: tenant.id, target_id: user.id, invitation_ids: [] };
    const line = { message: 'member removed', ...ids, commit_time: later };
    await expect(redo(JSON.stringify(line), ...since, ...service(), '-')).rejects.toMatchObject({
      code: 1,
      stderr: `after-restore: member removed, member ${user.id} of ${tenant.id}: a tenant needs an owner: make someone else an owner first\n`,
    });
  });

  test.each([
    ['a command without a file', anySince, 'after-restore: expected one file, or - for standard input'],
    ['a command without the time of the backup', ['-'], 'after-restore: --since: expected the time of the backup'],
    [
      'a time in the future',
      ['--since', '2226-01-01T00:00:00Z', '-'],
      'after-restore: --since: the time is in the future',
    ],
    [
      'a time before the oldest log line',
      ['--since', new Date(Date.now() - 31 * DAY_MS).toISOString(), '-'],
      'after-restore: --since: the time is more than 30 days ago',
    ],
    [
      'a command without the address of the service',
      [...anySince, '-'],
      'after-restore: --service: expected the address',
    ],
    [
      'an empty file',
      [...anySince, '--dry-run', '-'],
      'after-restore: -: neither a JSON array nor lines of JSON objects',
    ],
  ])('after-restore refuses %s with an error of one line', async (_, args, message) => {
    await expect(redo('', ...args)).rejects.toMatchObject(refusal(message));
  });

  test('after-restore changes nothing while the service is open, or if the store is not the backup', async () => {
    const { time, since, later } = backedUp();
    const tenant = await makeTenant(stack);
    const revoked = { message: 'API key revoked', tenant_id: tenant.id, target_id: tenant.apiKeyId };
    const hourBefore = new Date(Date.parse(time) - HOUR_MS).toISOString();
    const attempt = (at: string, ...args: string[]) =>
      redo(JSON.stringify({ ...revoked, commit_time: at }), ...args, '-');
    for (const [attempted, message] of [
      [() => attempt(later, ...since, '--service', stack.baseUrl), `--service: ${stack.baseUrl} is open`],
      [() => attempt(later, ...since, '--service', NOWHERE), `--service: no answer from ${NOWHERE}`],
      [() => attempt(later, '--since', hourBefore, ...service()), '--since: the store has newer events of tenant'],
      [() => attempt(time, ...since, ...service()), '--since: the backup is older'],
    ] as const) {
      await expect(attempted()).rejects.toMatchObject(refusal(`after-restore: ${message}`));
    }
    expect(outcome(await tenant.api.send('GET', '/v1/keys'))).toBe('200');
  });
});
