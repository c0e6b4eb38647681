import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall-view.ts';
import { createFirewall } from '../../shared/tenancy/firewalls.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseNetworks } from '../../shared/tenancy/networks.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';

export const createFirewallRoute = plainRoute({
  id: 'create_firewall',
  method: 'POST',
  path: '/v1/firewalls',
  summary: 'Create a firewall: a named list of networks',
  admits: CONSOLE,
  takes: jsonBody(z.object({ name: z.string(), allowed_ips: z.array(z.string()), container_id: z.string().nullish() })),
  refuses: ['invalid_name', 'invalid_allowed_ips', 'invalid_container', 'firewall_exists', 'limit_reached'],
  status: 201,
  answer: firewallAnswer,
  async handle({ env, caller, input }) {
    refuseName(input.name);
    const networks = parseNetworks(input.allowed_ips);
    const containerId = await placeIn(env, caller, input.container_id);
    const wanted = { tenantId: caller.tenantId, containerId, name: input.name, networks };
    return viewFirewall(await createFirewall(env, wanted));
  },
});
