import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall-view.ts';
import { listFirewalls } from '../../shared/tenancy/firewalls.ts';

export const listFirewallsRoute = plainRoute({
  id: 'list_firewalls',
  method: 'GET',
  path: '/v1/firewalls',
  summary: "List the tenant's firewalls, oldest first",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(firewallAnswer),
  async handle({ env, caller }) {
    return (await listFirewalls(env, caller.tenantId)).map(viewFirewall);
  },
});
