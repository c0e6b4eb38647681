import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { viewInstant } from '../../../shared/base/clock.ts';
import { idSchema, type KeyId } from '../../../shared/base/ids.ts';
import { destroyIfDue } from '../../../shared/lifecycle/destroy-key.ts';
import { ALREADY_TAKEN } from '../../../shared/lifecycle/material.ts';
import { readInstant } from '../../../shared/store/collection.ts';
import { REDO_EVENTS } from '../../../shared/tenancy/redo-log.ts';
import { outcome, text } from '../../support/client.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';
import { keyObject, read, timestamp } from '../../support/objects.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { inviteTo, join, signInSomebody } from '../../support/team.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const ISSUER = 'https://issuer.example';
const WORKLOAD_ISSUERS = JSON.stringify([{ issuer: ISSUER, claims: ['sub'] }]);
const line = z.looseObject({ message: z.string(), tenant_id: z.string().optional() });
type Line = z.output<typeof line>;

let service: SecondService;
let tenant: Tenant;
let printed = '';
/** The log lines that the changes below should write, in order. */
const expected: Line[] = [];
let redoLines: Line[];
let revokedAt: string;

/** Sends a request to the process whose log the tests read. */
async function send(method: string, path: string, body?: unknown, by = tenant.console) {
  const answer = await new Client(service, by.token).send(method, path, body);
  expect([method, path, outcome(answer)]).toEqual([method, path, expect.stringMatching(/^20\d$/)]);
  return answer;
}

function expectLine(message: string, target_id: string, state: Record<string, unknown> = {}): void {
  expected.push({ severity: 'INFO', message, tenant_id: tenant.id, target_id, ...state });
}

async function create(path: string, body: Record<string, unknown>): Promise<string> {
  return text(await send('POST', path, { name: 'SECRETNAME', ...body }), 'id');
}

async function changeApiKeys(): Promise<void> {
  const keyId = await tenant.createKey('wrapped');
  const firewall = await create('/v1/firewalls', { allowed_ips: ['192.0.2.0/25', '192.0.2.128/25'] });
  const firewallPath = `/v1/firewalls/${firewall}`;
  const tighten = async (allowed_ips: readonly string[]) => {
    await send('PATCH', firewallPath, { allowed_ips });
    expectLine('firewall tightened', firewall, { allowed_ips });
  };
  await send('PATCH', firewallPath, { allowed_ips: ['192.0.2.0/24'] });
  await tighten(['192.0.2.0/26']);
  await tighten(['198.51.100.0/24']);
  await send('PATCH', firewallPath, { allowed_ips: ['198.51.100.0/24', '192.0.2.0/24'] });
  await send('PATCH', firewallPath, { name: 'SECRETNAME 2' });

  const apiKey = await create('/v1/api-keys', { allowed_actions: ['encrypt', 'decrypt'] });
  const path = `/v1/api-keys/${apiKey}`;
  const unrestricted = { key_ids: null, firewall_id: null, expires_at: null, federations: [] };
  const all = { allowed_actions: ['encrypt', 'decrypt'], ...unrestricted };
  const restrict = async (change: object, state: object) => {
    await send('PATCH', path, change);
    expectLine('API key access restricted', apiKey, { ...all, ...state });
  };
  await restrict({ allowed_actions: ['decrypt'] }, { allowed_actions: ['decrypt'] });
  await send('PATCH', path, { allowed_actions: ['encrypt', 'decrypt'] });
  await restrict({ key_ids: [keyId] }, { key_ids: [keyId] });
  await send('PATCH', path, { key_ids: null });
  await restrict({ firewall_id: firewall }, { firewall_id: firewall });
  await send('PATCH', path, { name: 'SECRETNAME 2' });
  const other = await create('/v1/firewalls', { name: 'other', allowed_ips: ['192.0.2.0/24'] });
  await restrict({ firewall_id: other }, { firewall_id: other });
  await send('PATCH', path, { firewall_id: null });
  const expires_at = '2100-01-01T00:00:00.000000Z';
  await restrict({ expires_at }, { expires_at });
  await send('PATCH', path, { expires_at: null });
  const [one, another] = ['one', 'another'].map((sub) => ({ issuer: ISSUER, claims: { sub } }));
  await send('PATCH', path, { federations: [one] });
  await restrict({ federations: [another] }, { federations: [another] });
  await send('PATCH', path, { federations: [one, another] });
  await restrict({ federations: [one] }, { federations: [one] });
  await restrict({ federations: [] }, { federations: [] });
  await send('DELETE', path);
  expectLine('API key revoked', apiKey);
  const stored = firestoreOf(stack);
  const { updateTime } = await stored.doc(`apiKeys/${apiKey}`).get();
  await stored.terminate();
  revokedAt = updateTime === undefined ? '' : viewInstant(readInstant(updateTime));
}

async function changeTeam(): Promise<void> {
  const [ann, bob, cas] = [await join(tenant, 'auditor'), await join(tenant, 'owner'), await join(tenant, 'owner')];
  const annPath = `/v1/members/${ann.id}`;
  await send('PATCH', annPath, { role: 'admin' });
  await send('PATCH', annPath, { role: 'auditor' });
  expectLine('role lowered', ann.id, { role: 'auditor', invitation_ids: [] });
  await send('PATCH', annPath, { role: 'auditor' });

  const invitedBy = async ({ session }: typeof bob) => (await inviteTo({ console: session }, 'auditor')).id;
  const [first, second, third] = [await invitedBy(bob), await invitedBy(bob), await invitedBy(cas)];
  await send('PATCH', `/v1/members/${bob.id}`, { role: 'admin' });
  expectLine('role lowered', bob.id, { role: 'admin', invitation_ids: [first, second] });
  await send('DELETE', `/v1/members/${cas.id}`);
  expectLine('member removed', cas.id, { invitation_ids: [third] });
  await send('DELETE', annPath, undefined, ann.session);
  expectLine('member removed', ann.id, { invitation_ids: [] });

  const { id: revoked } = await inviteTo(tenant, 'owner', 'SECRETNAME');
  await send('DELETE', `/v1/invitations/${revoked}`);
  expectLine('invitation revoked', revoked);
  const used = await inviteTo(tenant, 'admin');
  const me = await send('POST', '/v1/invitations/accept', { token: used.token }, await signInSomebody(stack));
  const { user } = z.object({ user: z.object({ id: z.string() }) }).parse(me.body);
  expectLine('invitation used', used.id, { user_id: user.id, role: 'admin' });
}

async function changeKeys(): Promise<void> {
  for (const tier of ['wrapped', 'software'] as const) {
    const id = await create('/v1/keys', { name: `SECRETNAME ${tier}`, tier });
    expectLine('key created', id);
    for (const primary_version of [2, 3, 4]) {
      await send('POST', `/v1/keys/${id}/rotate`);
      const enabled_versions =
        tier === 'wrapped' ? [primary_version] : [1, 2, 3, 4].slice(0, primary_version).slice(-3);
      expectLine('key rotated', id, { primary_version, enabled_versions });
    }
    await send('PATCH', `/v1/keys/${id}`, { name: `SECRETNAME 2 ${tier}` });
    const { delete_requested_at, destroy_after } = read(keyObject, await send('DELETE', `/v1/keys/${id}`));
    expectLine('key deletion requested', id, { delete_requested_at, destroy_after });
    await send('DELETE', `/v1/keys/${id}`);
    await send('POST', `/v1/keys/${id}/restore`);
    expectLine('key restored', id);
    const { frozen_at } = read(keyObject, await send('POST', `/v1/keys/${id}/freeze`));
    expectLine('key frozen', id, { frozen_at });
    await send('POST', `/v1/keys/${id}/freeze`);
    await send('POST', `/v1/keys/${id}/thaw`);
    expectLine('key thawed', id);
    await send('POST', `/v1/keys/${id}/destroy`);
    expectLine('key destroyed', id);
  }
}

beforeAll(async () => {
  service = await startSecondService(stack, { ...signInSettings(stack), WORKLOAD_ISSUERS });
  tenant = await makeTenant(stack);
  await changeApiKeys();
  await changeTeam();
  await changeKeys();
  await service.stop();
  printed = service.printed();
  redoLines = printed
    .split('\n')
    .filter((one) => one.startsWith('{'))
    .map((one) => line.parse(JSON.parse(one)))
    .filter(({ message, tenant_id }) => tenant_id === tenant.id && REDO_EVENTS.includes(message));
});

test('the redo log has exactly one line for each change that lowers rights or changes the state of a key', () => {
  expect(redoLines).toEqual(expected.map((one) => ({ ...one, commit_time: expect.any(String) })));
});

test('the lines of the redo log are in the order of Firestore’s commit times', () => {
  for (const { commit_time } of redoLines) expect(timestamp.safeParse(commit_time).success).toBe(true);
  const times = redoLines.map(({ commit_time }) => String(commit_time));
  expect(times).toEqual([...new Set(times)].toSorted());
  const revoked = redoLines.find(({ message }) => message === 'API key revoked');
  expect(revoked?.commit_time).toBe(revokedAt);
});

test('the redo log contains no name, note, token or hash', () => {
  for (const secret of ['SECRETNAME', 'esi_', 'esk_', 'secret']) expect(printed).not.toContain(secret);
});

test('the redo log has a line for a key that is destroyed on schedule', async () => {
  const { services, logged, setClock } = openInProcess(stack);
  const id = await tenant.createKey('wrapped');
  const { destroy_after } = read(keyObject, await tenant.console.send('DELETE', `/v1/keys/${id}`));
  setClock(destroy_after ?? '');
  expect(await destroyIfDue(services, idSchema<KeyId>().parse(id), ALREADY_TAKEN)).toBe(true);
  expect(logged).toMatchObject([{ message: 'key destroyed', tenant_id: tenant.id, target_id: id }]);
});
