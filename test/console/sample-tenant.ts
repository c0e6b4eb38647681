import type { Addresses } from '../support/client.ts';
import { inviteTo, join } from '../support/team.ts';
import { makeTenant } from '../support/tenant.ts';

/** The path of each page and dialog of the console, with the names of ids of the sample tenant. */
export const PAGES = {
  overview: '/',
  keys: '/keys',
  key: '/keys/{orders}',
  'key-pending': '/keys/{archive}',
  'api-keys': '/api-keys',
  'api-key': '/api-keys/{shop}',
  containers: '/containers',
  container: '/containers/{container}',
  firewalls: '/firewalls',
  firewall: '/firewalls/{firewall}',
  members: '/members',
  audit: '/audit',
  billing: '/billing',
  reference: '/reference',
  status: '/status',
  operation: '/reference#create_api_key',
  'create-key': '/keys?do=create',
  rotate: '/keys/{orders}?do=rotate',
  'rotate-loses': '/keys/{notes}?do=rotate',
  rename: '/keys/{orders}?do=rename',
  delete: '/keys/{orders}?do=delete',
  destroy: '/keys/{orders}?do=destroy',
  'create-api-key': '/api-keys?do=create',
  'edit-api-key': '/api-keys/{shop}?do=edit',
  revoke: '/api-keys/{shop}?do=revoke',
  'create-container': '/containers?do=create',
  'create-firewall': '/firewalls?do=create',
  'edit-firewall': '/firewalls/{firewall}?do=edit',
  invite: '/members?do=invite',
  'rename-tenant': '/members?do=rename',
  'change-role': '/members?do=change-role&about={colleague}',
  'remove-member': '/members?do=remove&about={colleague}',
  'revoke-invitation': '/members?do=revoke-invitation&about={invitation}',
  'no-such-page': '/nothing',
} as const;

/** A tenant that has data for every page of the console, and its path of a page. */
export type SampleTenant = Awaited<ReturnType<typeof makeSampleTenant>>;

const id = ({ body }: { readonly body: unknown }): string => String(Object(body).id);

/** Makes a tenant with keys, restricted API keys, a firewall, operations and refusals. */
export async function makeSampleTenant(stack: Addresses) {
  const tenant = await makeTenant(stack);
  const { console, api } = tenant;
  const orders = await tenant.createKey('software', 'orders');
  const notes = await tenant.createKey('wrapped', 'notes');
  const archive = await tenant.createKey('hsm', 'archive');
  await tenant.createKey('free', 'trial');
  const container = id(await console.send('POST', '/v1/containers', { name: 'staging' }));
  const firewall = id(
    await console.send('POST', '/v1/firewalls', {
      name: 'office',
      allowed_ips: ['127.0.0.1', '192.0.2.0/24', '2001:db8::/32'],
    }),
  );
  const shop = await tenant.mint({
    name: 'shop',
    allowed_actions: ['encrypt', 'decrypt'],
    key_ids: [orders],
    firewall_id: firewall,
  });
  for (const [key, times] of [
    [orders, 7],
    [notes, 3],
    [archive, 2],
  ] as const) {
    for (let time = 0; time < times; time++)
      await api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext: 'SGVsbG8=' });
  }
  await api.send('POST', `/v1/keys/${orders}/rotate`);
  await shop.client.send('POST', `/v1/keys/${orders}/encrypt`, { plaintext: 'SGVsbG8=' });
  await shop.client.send('POST', `/v1/keys/${orders}/rotate`);
  await api.send('DELETE', `/v1/keys/${archive}`);
  const colleague = await join(tenant, 'admin', { name: 'Bob', email: 'bob@example.com' });
  const { id: invitation } = await inviteTo(tenant, 'auditor', 'for the auditors');
  const ids = { orders, notes, archive, container, firewall, shop: shop.id, colleague: colleague.id, invitation };
  const pathOf = (page: string) =>
    Object.entries(ids).reduce((path, [name, id]) => path.replace(`{${name}}`, id), page);
  return { tenant, pathOf };
}
