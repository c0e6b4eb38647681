import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { eventsOfTenant } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { inviteTo, join } from '../../support/team.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

const create = async ({ console }: Tenant, path: string, more = {}) =>
  `${path}/${text(await console.send('POST', path, { name: randomUUID(), ...more }), 'id')}`;

test.each<[string, string, string, (tenant: Tenant) => Promise<string>]>([
  ['a container', 'delete_container', 'DELETE', (tenant) => create(tenant, '/v1/containers')],
  ['a firewall', 'delete_firewall', 'DELETE', (tenant) => create(tenant, '/v1/firewalls', { allowed_ips: ['::1'] })],
  ['an API key', 'revoke_api_key', 'DELETE', (tenant) => create(tenant, '/v1/api-keys')],
  ['an invitation', 'revoke_invitation', 'DELETE', async (t) => `/v1/invitations/${(await inviteTo(t, 'admin')).id}`],
  ['a member', 'remove_member', 'DELETE', async (tenant) => `/v1/members/${(await join(tenant, 'admin')).id}`],
  ['a key', 'destroy_key', 'POST', async ({ createKey }) => `/v1/keys/${await createKey('software')}/destroy`],
])(
  'of ten simultaneous requests that remove %s, one gets 204 and is recorded, and the others get 404',
  async (...row) => {
    const [, operation, method, make] = row;
    const tenant = await makeTenant(stack);
    const path = await make(tenant);
    const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.console.send(method, path)));
    expect(answers.map(outcome).sort()).toEqual(['204', ...Array(9).fill('404 not_found')]);
    const rows = (await eventsOfTenant(tenant.console)).filter((event) => event.operation === operation);
    expect(rows.map(({ result }) => result)).toEqual(['success']);
  },
);
