import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall.ts';
import { listFirewalls } from '../../shared/tenancy/firewalls.ts';
import { needs } from '../needs.ts';

export const listFirewallsRoute = needs('store').route({
  id: 'list_firewalls',
  method: 'GET',
  path: '/v1/firewalls',
  summary: 'List firewalls',
  description: 'Returns all firewalls of the tenant.',
  tag: 'Firewalls',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(firewallAnswer).describe('Oldest first.'),
  isReport: true,
  async handle({ store }, { caller }) {
    return (await listFirewalls(store, caller.tenantId)).map(viewFirewall);
  },
});
