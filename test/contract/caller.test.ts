import { beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../support/client.ts';
import { join, signInSomebody } from '../support/team.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});
const path = '/v1/caller';
const HERE = '127.0.0.1';

test('GET /v1/caller returns the name, actions, restrictions and address of an API key', async () => {
  const key = await tenant.createKey('wrapped');
  const firewall = await tenant.console.send('POST', '/v1/firewalls', { name: 'here', allowed_ips: [HERE] });
  const [name, allowed_actions, key_ids, firewall_id] = ['shop', ['encrypt'], [key], text(firewall, 'id')] as const;
  const { id, client } = await tenant.mint({ name, allowed_actions, key_ids, firewall_id });
  const container_id = text(await tenant.console.send('GET', `/v1/keys/${key}`), 'container_id');
  expect(await client.send('GET', path)).toMatchObject({
    status: 200,
    body: {
      ...{ kind: 'api_key', id, name, role: null, container_id, allowed_actions, key_ids, firewall_id },
      ...{ address: HERE, workload: null },
    },
  });
});

test('GET /v1/caller returns the name, role and address of a user', async () => {
  const { id, session } = await join(tenant, 'auditor', { name: 'Ada' });
  const none = { container_id: null, allowed_actions: null, key_ids: null, firewall_id: null, workload: null };
  const { body } = await session.send('GET', path);
  expect(body).toEqual({ kind: 'session', id, name: 'Ada', role: 'auditor', ...none, address: HERE });
});

test('GET /v1/caller refuses an API key that is used from outside its firewall, and a user without a tenant', async () => {
  const firewall = await tenant.console.send('POST', '/v1/firewalls', { name: 'away', allowed_ips: ['192.0.2.1'] });
  const { client } = await tenant.mint({ firewall_id: text(firewall, 'id') });
  expect(outcome(await client.send('GET', path))).toBe('403 ip_not_allowed');
  expect(outcome(await (await signInSomebody(stack)).send('GET', path))).toBe('403 no_tenant');
});

test('GET /v1/caller is not recorded in the audit log and is not counted as an operation', async () => {
  const other = await makeTenant(stack);
  const before = await other.console.send('GET', '/v1/audit');
  await other.api.send('GET', path);
  await other.console.send('GET', path);
  expect((await other.console.send('GET', '/v1/audit')).body).toEqual(before.body);
  expect((await other.console.send('GET', '/v1/usage')).body).toEqual([]);
});
