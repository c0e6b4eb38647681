import { CONSOLE } from '../../shared/auth/admission.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceChangeRoute } from '../../shared/http/pipeline.ts';
import { deleteFirewall, loadFirewall } from '../../shared/tenancy/firewalls.ts';

export const deleteFirewallRoute = resourceChangeRoute({
  id: 'delete_firewall',
  operation: 'delete_firewall',
  method: 'DELETE',
  path: '/v1/firewalls/{id}',
  summary: 'Delete a firewall that no API key uses',
  description: 'Deletes a firewall. Remove it from all API keys first.',
  tag: 'Firewalls',
  admits: CONSOLE,
  find: ({ store }, tenantId, id) => loadFirewall(store, tenantId, id),
  pathId: parseId<FirewallId>,
  takes: nothing,
  refuses: ['firewall_in_use'],
  status: 204,
  handle: ({ store }, { caller, id, record }) => deleteFirewall(store, caller.tenantId, id, record),
});
