import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall.ts';
import { loadFirewall } from '../../shared/tenancy/firewalls.ts';
import { needs } from '../needs.ts';
import { FIREWALL } from './targets.ts';

export const getFirewallRoute = needs('store').resourceRoute({
  id: 'get_firewall',
  method: 'GET',
  path: '/v1/firewalls/{id}',
  summary: 'Get a firewall',
  description: 'Returns a firewall with its networks.',
  tag: 'Firewalls',
  admits: CONSOLE,
  target: FIREWALL,
  takes: nothing,
  status: 200,
  answer: firewallAnswer,
  async handle({ store }, { caller, id }) {
    return viewFirewall(await loadFirewall(store, caller.tenantId, id));
  },
});
