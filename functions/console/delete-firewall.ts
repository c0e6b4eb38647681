import { CONSOLE } from '../../shared/auth/caller.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { deleteFirewall } from '../../shared/tenancy/firewalls.ts';

export const deleteFirewallRoute = resourceRoute({
  id: 'delete_firewall',
  method: 'DELETE',
  path: '/v1/firewalls/{id}',
  summary: 'Delete a firewall that no live API key is held to',
  admits: CONSOLE,
  pathId: parseId<FirewallId>,
  takes: nothing,
  refuses: ['firewall_in_use'],
  status: 204,
  handle: ({ env, caller, id }) => deleteFirewall(env, caller.tenantId, id),
});
