import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute, resourceRoute } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall.ts';
import {
  changeFirewall,
  createFirewall,
  deleteFirewall,
  listFirewalls,
  loadFirewall,
} from '../../shared/tenancy/firewalls.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseNetworks } from '../../shared/tenancy/networks.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';

const createFirewallRoute = plainRoute({
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

const listFirewallsRoute = plainRoute({
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

const getFirewallRoute = resourceRoute({
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

const updateFirewallRoute = resourceRoute({
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

const deleteFirewallRoute = resourceRoute({
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

/** What is done with firewalls. */
export const firewallRoutes: readonly Route[] = [
  createFirewallRoute,
  listFirewallsRoute,
  getFirewallRoute,
  updateFirewallRoute,
  deleteFirewallRoute,
];
