import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { outcome, text } from '../../support/client.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { join, meOf } from '../../support/team.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const [ISSUER, FAR, NEAR] = ['https://issuer.example', '2100-01-01T00:00:00Z', '2099-01-01T00:00:00Z'];
const WORKLOAD_ISSUERS = JSON.stringify([{ issuer: ISSUER, claims: ['sub'] }]);
const federation = (sub: string) => ({ issuer: ISSUER, claims: { sub } });
const line = z.looseObject({ severity: z.string(), message: z.string(), request_id: z.string().optional() });

let service: SecondService;
let tenant: Tenant;
let userId: string;
let printed: string;
/** The id of the object that each change affected, by the name of the change. */
const targets = new Map<string, string>();

const idOf = (change: string) => change.replaceAll(' ', '-');

const noticesOf = (of: string) =>
  printed
    .split('\n')
    .filter((one) => one.startsWith('{'))
    .map((one) => line.parse(JSON.parse(one)))
    .filter(({ severity, request_id }) => severity === 'NOTICE' && request_id === idOf(of));

/**
 * Sends a change to the process whose log the tests read. Adds the id of the changed object to `targets`: by default,
 * the id in the answer.
 */
async function change(name: string, method: string, path: string, body: unknown, target?: string) {
  const client = new Client(service, tenant.console.token);
  const answer = await client.send(method, path, body, { headers: { 'x-request-id': idOf(name) } });
  expect([name, outcome(answer)]).toEqual([name, method === 'POST' ? '201' : '200']);
  const about = target ?? text(answer, 'id');
  targets.set(name, about);
  return about;
}

async function refuse(name: string, method: string, path: string, body: unknown, by = tenant.console) {
  const client = new Client(service, by.token);
  const { status } = await client.send(method, path, body, { headers: { 'x-request-id': idOf(name) } });
  expect([name, status >= 400]).toEqual([name, true]);
}

beforeAll(async () => {
  service = await startSecondService(stack, { ...signInSettings(stack), WORKLOAD_ISSUERS });
  tenant = await makeTenant(stack);
  userId = (await meOf(tenant.console)).user.id;
  const [ann, bob] = [await join(tenant, 'auditor'), await join(tenant, 'owner')];
  const keyId = await tenant.createKey('wrapped');

  const firewall = await change('firewall created', 'POST', '/v1/firewalls', {
    ...{ name: 'SECRETNAME', allowed_ips: ['192.0.2.0/25', '192.0.2.128/25'] },
  });
  const firewallPath = `/v1/firewalls/${firewall}`;
  await change('firewall networks merged', 'PATCH', firewallPath, { allowed_ips: ['192.0.2.0/24'] });
  await change('firewall narrowed', 'PATCH', firewallPath, { allowed_ips: ['192.0.2.0/26'] });
  await change('firewall renamed', 'PATCH', firewallPath, { name: 'SECRETNAME 2' });
  await change('firewall opened', 'PATCH', firewallPath, { allowed_ips: ['192.0.2.0/26', '198.51.100.0/24'] });
  await change('firewall unchanged', 'PATCH', firewallPath, { allowed_ips: ['192.0.2.0/26', '198.51.100.0/24'] });
  await refuse('firewall refused', 'PATCH', firewallPath, { allowed_ips: ['nonsense'] });
  await refuse('unknown firewall', 'PATCH', `/v1/firewalls/${randomUUID()}`, { allowed_ips: ['0.0.0.0/0'] });

  const made = await change('API key without actions', 'POST', '/v1/api-keys', { name: 'SECRETNAME' });
  const path = `/v1/api-keys/${made}`;
  await change('action added', 'PATCH', path, { allowed_actions: ['encrypt', 'decrypt'] });
  await change('action added again', 'PATCH', path, { allowed_actions: ['encrypt', 'decrypt'] });
  await change('action removed', 'PATCH', path, { allowed_actions: ['decrypt'] });
  await change('restrictions set', 'PATCH', path, { key_ids: [keyId], firewall_id: firewall });
  await change('firewall removed', 'PATCH', path, { firewall_id: null });
  await change('key list removed', 'PATCH', path, { key_ids: null });
  await change('API key with actions', 'POST', '/v1/api-keys', { name: 'SECRETNAME', allowed_actions: ['wrap'] });
  await change('expiry set', 'PATCH', path, { expires_at: NEAR });
  await change('expiry later', 'PATCH', path, { expires_at: FAR });
  await change('expiry earlier', 'PATCH', path, { expires_at: NEAR });
  await change('expiry removed', 'PATCH', path, { expires_at: null });
  await change('federation added', 'PATCH', path, { federations: [federation('a'), federation('b')] });
  await change('federations reordered', 'PATCH', path, { federations: [federation('b'), federation('a')] });
  await change('federation removed', 'PATCH', path, { federations: [federation('a')] });
  await change('federation changed', 'PATCH', path, { federations: [federation('b')] });
  await refuse('action refused', 'PATCH', path, { allowed_actions: ['nonsense'] });

  const annPath = `/v1/members/${ann.id}`;
  await change('auditor to admin', 'PATCH', annPath, { role: 'admin' }, ann.id);
  await change('role unchanged', 'PATCH', annPath, { role: 'admin' }, ann.id);
  await change('admin to auditor', 'PATCH', annPath, { role: 'auditor' }, ann.id);
  await change('owner to admin', 'PATCH', `/v1/members/${bob.id}`, { role: 'admin' }, bob.id);
  await change('admin to owner', 'PATCH', `/v1/members/${bob.id}`, { role: 'owner' }, bob.id);
  await refuse('raised by an auditor', 'PATCH', annPath, { role: 'owner' }, ann.session);

  await change('invited', 'POST', '/v1/invitations', { role: 'auditor', note: 'SECRETNAME' });
  await refuse('invited by an auditor', 'POST', '/v1/invitations', { role: 'owner' }, ann.session);
  await service.stop();
  printed = service.printed();
});

describe('changes that weaken a tenant’s protection', () => {
  test.each([
    ['firewall opened', 'firewall opened'],
    ['action added', 'API key access widened'],
    ['firewall removed', 'API key access widened'],
    ['key list removed', 'API key access widened'],
    ['API key with actions', 'API key access widened'],
    ['expiry later', 'API key access widened'],
    ['expiry removed', 'API key access widened'],
    ['federation added', 'API key access widened'],
    ['federation changed', 'API key access widened'],
    ['auditor to admin', 'role raised'],
    ['admin to owner', 'role raised'],
    ['invited', 'member invited'],
  ])(
    'for the change "%s", the service writes the log line "%s", which identifies the tenant, the user and the object only by ids',
    (name, message) => {
      const ids = { tenant_id: tenant.id, user_id: userId, target_id: targets.get(name) };
      expect(noticesOf(name)).toEqual([{ severity: 'NOTICE', message, request_id: idOf(name), ...ids }]);
    },
  );
});

describe('changes that do not weaken protection, and refused changes', () => {
  test.each([
    ...['firewall created', 'firewall networks merged', 'firewall narrowed', 'firewall renamed', 'firewall unchanged'],
    ...['firewall refused', 'unknown firewall', 'API key without actions', 'action added again'],
    ...['action removed', 'restrictions set', 'action refused', 'role unchanged', 'admin to auditor', 'owner to admin'],
    ...['expiry set', 'expiry earlier', 'federations reordered', 'federation removed'],
    ...['raised by an auditor', 'invited by an auditor'],
  ])('for the change "%s", the service writes no log line about weakened protection', (name) => {
    expect(printed).toContain(`"request_id":"${idOf(name)}"`);
    expect(noticesOf(name)).toEqual([]);
  });
});

test('no log line contains a name, note or token, and only log lines about a tightened firewall contain addresses', () => {
  for (const secret of ['SECRETNAME', 'esi_', 'esk_']) expect(printed).not.toContain(secret);
  const others = printed.split('\n').filter((one) => !one.includes('"firewall tightened"'));
  for (const address of ['192.0.2.', '198.51.100.']) expect(others.join('\n')).not.toContain(address);
});
