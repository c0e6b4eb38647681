import { CONSOLE } from '../../shared/auth/caller.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall-view.ts';
import { loadFirewall } from '../../shared/tenancy/firewalls.ts';

export const getFirewallRoute = resourceRoute({
  id: 'get_firewall',
  method: 'GET',
  path: '/v1/firewalls/{id}',
  summary: 'Get a firewall',
  admits: CONSOLE,
  pathId: parseId<FirewallId>,
  takes: nothing,
  status: 200,
  answer: firewallAnswer,
  async handle({ env, caller, id }) {
    return viewFirewall(await loadFirewall(env, caller.tenantId, id));
  },
});
