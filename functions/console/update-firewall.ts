import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall-view.ts';
import { changeFirewall, loadFirewall } from '../../shared/tenancy/firewalls.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseNetworks } from '../../shared/tenancy/networks.ts';

export const updateFirewallRoute = resourceRoute({
  id: 'update_firewall',
  method: 'PATCH',
  path: '/v1/firewalls/{id}',
  summary: 'Rename a firewall or change its networks, in force at once',
  admits: CONSOLE,
  pathId: parseId<FirewallId>,
  takes: jsonBody(z.strictObject({ name: z.string().optional(), allowed_ips: z.array(z.string()).optional() })),
  refuses: ['invalid_name', 'invalid_allowed_ips', 'firewall_exists'],
  status: 200,
  answer: firewallAnswer,
  async handle({ env, caller, id, input }) {
    await loadFirewall(env, caller.tenantId, id);
    if (input.name !== undefined) refuseName(input.name);
    const networks = input.allowed_ips && parseNetworks(input.allowed_ips);
    return viewFirewall(await changeFirewall(env, caller.tenantId, id, { name: input.name, networks }));
  },
});
