import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { viewInstant } from '../../../shared/base/clock.ts';
import { idSchema, type KeyId } from '../../../shared/base/ids.ts';
import { destroyIfDue } from '../../../shared/lifecycle/destroy-key.ts';
import { ALREADY_TAKEN } from '../../../shared/lifecycle/material.ts';
import { readInstant } from '../../../shared/store/collection.ts';
import { REDO_EVENTS } from '../../../shared/tenancy/redo-log.ts';
import { outcome, text } from '../../support/client.ts';
import { withStore } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';
import { keyObject, read, timestamp } from '../../support/objects.ts';
import { operate } from '../../support/operations.ts';
import { sendRaw } from '../../support/raw.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { inviteTo, join, meOf, signInSomebody } from '../../support/team.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const ISSUER = 'https://issuer.example';
const WORKLOAD_ISSUERS = JSON.stringify([{ issuer: ISSUER, claims: ['sub'] }]);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PLAINTEXT = 'c2VjcmV0IHBsYWludGV4dA==';
const AAD = 'c2VjcmV0IGNvbnRleHQ=';
const line = z.record(z.string(), z.unknown());

let service: SecondService;
let tenant: Tenant;
let userId: string;
let usedKey: string;
let printed: string;
let lines: z.output<typeof line>[];
/** The lines about changes that the log should have, in order. */
const expected: object[] = [];
let revokedAt: string;

/** Sends a request to the process whose log the tests read. Checks that it succeeds or is refused. */
async function send(method: string, path: string, body?: unknown, by = tenant.console, status = /^20\d$/) {
  const headers = { 'x-request-id': 'a-change' };
  const answer = await new Client(service, by.token).send(method, path, body, { headers });
  expect([method, path, outcome(answer)]).toEqual([method, path, expect.stringMatching(status)]);
  return answer;
}
const refuse = (method: string, path: string, body: object, by = tenant.console) => send(method, path, body, by, /^4/);

function expectLine(message: string, target_id: string, state: object = {}): void {
  const commit_time = expect.any(String);
  expected.push({ severity: 'INFO', message, tenant_id: tenant.id, target_id, commit_time, ...state });
}
function expectNotice(message: string, target_id: string): void {
  const ids = { request_id: 'a-change', tenant_id: tenant.id, user_id: userId, target_id };
  expected.push({ severity: 'NOTICE', message, ...ids });
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
  expectNotice('firewall opened', firewall);
  await send('PATCH', firewallPath, { allowed_ips: ['198.51.100.0/24', '192.0.2.0/24'] });
  expectNotice('firewall opened', firewall);
  await send('PATCH', firewallPath, { name: 'SECRETNAME 2' });
  await refuse('PATCH', firewallPath, { allowed_ips: ['nonsense'] });

  await create('/v1/api-keys', {});
  const apiKey = await create('/v1/api-keys', { allowed_actions: ['encrypt', 'decrypt'] });
  expectNotice('API key access widened', apiKey);
  const path = `/v1/api-keys/${apiKey}`;
  const unrestricted = { key_ids: null, firewall_id: null, expires_at: null, federations: [] };
  const all = { allowed_actions: ['encrypt', 'decrypt'], ...unrestricted };
  const restrict = async (change: object, state = change) => {
    await send('PATCH', path, change);
    expectLine('API key access restricted', apiKey, { ...all, ...state });
  };
  const widen = async (change: object) => {
    await send('PATCH', path, change);
    expectNotice('API key access widened', apiKey);
  };
  await restrict({ allowed_actions: ['decrypt'] });
  await widen({ allowed_actions: ['encrypt', 'decrypt'] });
  await refuse('PATCH', path, { allowed_actions: ['nonsense'] });
  await restrict({ key_ids: [keyId] });
  await widen({ key_ids: null });
  await restrict({ firewall_id: firewall });
  await send('PATCH', path, { name: 'SECRETNAME 2' });
  const other = await create('/v1/firewalls', { name: 'other', allowed_ips: ['192.0.2.0/24'] });
  await restrict({ firewall_id: other });
  expectNotice('API key access widened', apiKey);
  await widen({ firewall_id: null });
  const expires_at = '2100-01-01T00:00:00.000000Z';
  await restrict({ expires_at });
  await widen({ expires_at: null });
  const [one, another] = ['one', 'another'].map((sub) => ({ issuer: ISSUER, claims: { sub } }));
  await widen({ federations: [one] });
  await restrict({ federations: [another] });
  expectNotice('API key access widened', apiKey);
  await widen({ federations: [one, another] });
  await restrict({ federations: [one] });
  await restrict({ federations: [] });
  await send('DELETE', path);
  expectLine('API key revoked', apiKey);
  const { updateTime } = await withStore(stack, (store) => store.doc(`apiKeys/${apiKey}`).get());
  revokedAt = updateTime === undefined ? '' : viewInstant(readInstant(updateTime));
}

async function changeTeam(): Promise<void> {
  const [ann, bob, cas] = [await join(tenant, 'auditor'), await join(tenant, 'owner'), await join(tenant, 'owner')];
  const annPath = `/v1/members/${ann.id}`;
  await refuse('PATCH', annPath, { role: 'owner' }, ann.session);
  await send('PATCH', annPath, { role: 'admin' });
  expectNotice('role raised', ann.id);
  await send('PATCH', annPath, { role: 'auditor' });
  expectLine('role lowered', ann.id, { role: 'auditor', invitation_ids: [] });
  await send('PATCH', annPath, { role: 'auditor' });

  const invited = text(await send('POST', '/v1/invitations', { role: 'auditor', note: 'SECRETNAME' }), 'id');
  expectNotice('member invited', invited);
  await refuse('POST', '/v1/invitations', { role: 'owner' }, ann.session);
  const invitedBy = async ({ session }: typeof bob) => (await inviteTo({ console: session }, 'auditor')).id;
  const [first, second, third] = [await invitedBy(bob), await invitedBy(bob), await invitedBy(cas)];
  await send('PATCH', `/v1/members/${bob.id}`, { role: 'admin' });
  expectLine('role lowered', bob.id, { role: 'admin', invitation_ids: [first, second] });
  await send('DELETE', `/v1/members/${cas.id}`);
  expectLine('member removed', cas.id, { invitation_ids: [third] });
  await send('DELETE', annPath, undefined, ann.session);
  expectLine('member removed', ann.id, { invitation_ids: [] });

  await send('DELETE', `/v1/invitations/${invited}`);
  expectLine('invitation revoked', invited);
  const used = await inviteTo(tenant, 'admin');
  const session = await signInSomebody(stack);
  await send('POST', '/v1/invitations/accept', { token: used.token }, session);
  expectLine('invitation used', used.id, { user_id: (await meOf(session)).user.id, role: 'admin' });
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

async function useKey(): Promise<void> {
  const api = new Client(service, tenant.api.token);
  const body = { plaintext: PLAINTEXT, aad: AAD };
  const traced = (traceparent: string, id: string) => ({ headers: { traceparent, 'x-request-id': id } });
  await api.send('POST', `/v1/keys/${usedKey}/encrypt`, body, traced(`00-${TRACE}-${SPAN}-01`, 'r-1'));
  await api.send('POST', `/v1/keys/${usedKey}/encrypt?QUERY`, body, traced('HOSTILE', 'r-2'));
  await api.send('GET', `/v1/nothing/${usedKey}`, undefined, { headers: { 'x-request-id': 'r-3' } });
  await sendRaw(service, 'GET /v1/keys', ['x-request-id: r-4', 'x-cloud-trace-context: HOSTILE'], '');
  await operate(api, usedKey, 'decrypt', { ciphertext: 'HOSTILE' });
}

beforeAll(async () => {
  service = await startSecondService(stack, { ...signInSettings(stack), WORKLOAD_ISSUERS });
  tenant = await makeTenant(stack);
  userId = (await meOf(tenant.console)).user.id;
  usedKey = await tenant.createKey('wrapped');
  await changeApiKeys();
  await changeTeam();
  await changeKeys();
  await useKey();
  await service.stop();
  printed = service.printed();
  // When it starts, functions-framework prints a few lines that are not JSON.
  const json = printed.split('\n').filter((one) => one.startsWith('{'));
  lines = json.map((one) => line.parse(JSON.parse(one)));
});

test('the log has exactly one line for each change that lowers rights, changes the state of a key or weakens protection', () => {
  const isAboutChange = ({ severity, message }: (typeof lines)[number]) =>
    severity === 'NOTICE' || REDO_EVENTS.includes(String(message));
  expect(lines.filter(({ tenant_id }) => tenant_id === tenant.id).filter(isAboutChange)).toEqual(expected);
});

test('the lines of the redo log are in the order of Firestore’s commit times', () => {
  const redo = lines.filter(({ commit_time }) => commit_time !== undefined);
  const times = redo.map(({ commit_time }) => timestamp.parse(commit_time));
  expect(times).toEqual([...new Set(times)].toSorted());
  expect(redo.find(({ message }) => message === 'API key revoked')?.commit_time).toBe(revokedAt);
});

test('the log contains no name, note, token, hash, body, query, id in a path or malformed header, and addresses only of a tightened firewall', () => {
  const token = tenant.api.token ?? '';
  const secrets = ['SECRETNAME', 'esi_', 'esk_', 'secret', token.slice(-43), PLAINTEXT, AAD, 'QUERY', 'HOSTILE'];
  for (const secret of [...secrets, usedKey]) expect(printed).not.toContain(secret);
  const others = printed.split('\n').filter((one) => !one.includes('"firewall tightened"'));
  for (const address of ['192.0.2.', '198.51.100.']) expect(others.join('\n')).not.toContain(address);
});

test('the redo log has a line for a key that is destroyed on schedule', async () => {
  const { services, logged, setClock } = openInProcess(stack);
  const id = await tenant.createKey('wrapped');
  const { destroy_after } = read(keyObject, await tenant.console.send('DELETE', `/v1/keys/${id}`));
  setClock(destroy_after ?? '');
  expect(await destroyIfDue(services, idSchema<KeyId>().parse(id), ALREADY_TAKEN)).toBe(true);
  expect(logged).toMatchObject([{ message: 'key destroyed', tenant_id: tenant.id, target_id: id }]);
});

test('the line of a request has its id, route, outcome and trace in the fields of Cloud Logging, but no unknown route and no malformed trace', () => {
  const common = { severity: 'INFO', message: 'request answered', took_ms: expect.any(Number) };
  const encryption = { ...common, method: 'POST', route: '/v1/keys/{id}/encrypt', status: 200 };
  const trace = {
    'logging.googleapis.com/trace': `projects/demo-encryption/traces/${TRACE}`,
    'logging.googleapis.com/spanId': SPAN,
  };
  expect(lines.filter(({ request_id }) => /^r-\d$/.test(String(request_id)))).toEqual([
    { ...encryption, request_id: 'r-1', ...trace },
    { ...encryption, request_id: 'r-2' },
    { ...common, request_id: 'r-3', method: 'GET', status: 404, code: 'not_found' },
    { ...common, request_id: 'r-4', method: 'GET', route: '/v1/keys', status: 401, code: 'unauthorized' },
  ]);
});
