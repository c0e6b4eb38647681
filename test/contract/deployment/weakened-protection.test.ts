import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { outcome, text } from '../../support/client.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { join, meOf } from '../../support/team.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
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
  service = await startSecondService(stack, signInSettings(stack));
  tenant = await makeTenant(stack);
  userId = (await meOf(tenant.console)).user.id;
  const ann = await join(tenant, 'auditor');

  const firewall = await change('firewall created', 'POST', '/v1/firewalls', {
    ...{ name: 'SECRETNAME', allowed_ips: ['192.0.2.0/25', '192.0.2.128/25'] },
  });
  const firewallPath = `/v1/firewalls/${firewall}`;
  await change('firewall narrowed', 'PATCH', firewallPath, { allowed_ips: ['192.0.2.0/26'] });
  await change('firewall renamed', 'PATCH', firewallPath, { name: 'SECRETNAME 2' });
  await change('firewall opened', 'PATCH', firewallPath, { allowed_ips: ['192.0.2.0/26', '198.51.100.0/24'] });
  await refuse('firewall refused', 'PATCH', firewallPath, { allowed_ips: ['nonsense'] });

  const made = await change('API key without actions', 'POST', '/v1/api-keys', { name: 'SECRETNAME' });
  const path = `/v1/api-keys/${made}`;
  await change('action added', 'PATCH', path, { allowed_actions: ['encrypt', 'decrypt'] });
  await change('action removed', 'PATCH', path, { allowed_actions: ['decrypt'] });
  await change('API key with actions', 'POST', '/v1/api-keys', { name: 'SECRETNAME', allowed_actions: ['wrap'] });
  await refuse('action refused', 'PATCH', path, { allowed_actions: ['nonsense'] });

  const annPath = `/v1/members/${ann.id}`;
  await change('auditor to admin', 'PATCH', annPath, { role: 'admin' }, ann.id);
  await change('admin to auditor', 'PATCH', annPath, { role: 'auditor' }, ann.id);
  await refuse('raised by an auditor', 'PATCH', annPath, { role: 'owner' }, ann.session);

  await change('invited', 'POST', '/v1/invitations', { role: 'auditor', note: 'SECRETNAME' });
  await refuse('invited by an auditor', 'POST', '/v1/invitations', { role: 'owner' }, ann.session);
  await service.stop();
  printed = service.printed();
});

test.each([
  ['firewall opened', 'firewall opened'],
  ['action added', 'API key access widened'],
  ['API key with actions', 'API key access widened'],
  ['auditor to admin', 'role raised'],
  ['invited', 'member invited'],
])(
  'for the change "%s", the service writes the log line "%s", which identifies the tenant, the user and the object only by ids',
  (name, message) => {
    const ids = { tenant_id: tenant.id, user_id: userId, target_id: targets.get(name) };
    expect(noticesOf(name)).toEqual([{ severity: 'NOTICE', message, request_id: idOf(name), ...ids }]);
  },
);

test.each([
  ...['firewall created', 'firewall narrowed', 'firewall renamed', 'firewall refused', 'API key without actions'],
  ...['action removed', 'action refused', 'admin to auditor', 'raised by an auditor', 'invited by an auditor'],
])('for the change "%s", the service writes no log line about weakened protection', (name) => {
  expect(printed).toContain(`"request_id":"${idOf(name)}"`);
  expect(noticesOf(name)).toEqual([]);
});

test('no log line contains a name, note or token, and only log lines about a tightened firewall contain addresses', () => {
  for (const secret of ['SECRETNAME', 'esi_', 'esk_']) expect(printed).not.toContain(secret);
  const others = printed.split('\n').filter((one) => !one.includes('"firewall tightened"'));
  for (const address of ['192.0.2.', '198.51.100.']) expect(others.join('\n')).not.toContain(address);
});
