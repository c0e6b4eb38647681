import { CONSOLE } from '../../shared/auth/admission.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall.ts';
import { loadFirewall } from '../../shared/tenancy/firewalls.ts';

export const getFirewallRoute = resourceRoute({
  id: 'get_firewall',
  method: 'GET',
  path: '/v1/firewalls/{id}',
  summary: 'Get a firewall',
  description: 'Returns a firewall with its networks.',
  tag: 'Firewalls',
  admits: CONSOLE,
  pathId: parseId<FirewallId>,
  takes: nothing,
  status: 200,
  answer: firewallAnswer,
  async handle({ store }, { caller, id }) {
    return viewFirewall(await loadFirewall(store, caller.tenantId, id));
  },
});
