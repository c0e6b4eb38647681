import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import { type FirewallId, parseId } from '../../shared/base/ids.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
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
import type { ChangeNeeds, CreationNeeds } from '../../shared/tenancy/needs.ts';
import { parseNetworks } from '../../shared/tenancy/networks.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';

const createFirewallRoute = route({
  id: 'create_firewall',
  method: 'POST',
  path: '/v1/firewalls',
  summary: 'Create a firewall: a named list of networks',
  admits: CONSOLE,
  takes: jsonBody(z.object({ name: z.string(), allowed_ips: z.array(z.string()), container_id: z.string().nullish() })),
  refuses: ['invalid_name', 'invalid_allowed_ips', 'invalid_container', 'firewall_exists', 'limit_reached'],
  status: 201,
  answer: firewallAnswer,
  async handle(needs: CreationNeeds, { caller, input }) {
    refuseName(input.name);
    const networks = parseNetworks(input.allowed_ips);
    const containerId = await placeIn(needs.store, caller, input.container_id);
    const wanted = { tenantId: caller.tenantId, containerId, name: input.name, networks };
    return viewFirewall(await createFirewall(needs, wanted));
  },
});

const listFirewallsRoute = route({
  id: 'list_firewalls',
  method: 'GET',
  path: '/v1/firewalls',
  summary: "List the tenant's firewalls, oldest first",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(firewallAnswer),
  async handle(needs: ChangeNeeds, { caller }) {
    return (await listFirewalls(needs.store, caller.tenantId)).map(viewFirewall);
  },
});

const getFirewallRoute = route({
  id: 'get_firewall',
  method: 'GET',
  path: '/v1/firewalls/{id}',
  summary: 'Get a firewall',
  admits: CONSOLE,
  pathId: parseId<FirewallId>,
  takes: nothing,
  status: 200,
  answer: firewallAnswer,
  async handle(needs: ChangeNeeds, { caller, id }) {
    return viewFirewall(await loadFirewall(needs.store, caller.tenantId, id));
  },
});

const updateFirewallRoute = route({
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
  async handle(needs: ChangeNeeds, { caller, id, input }) {
    await loadFirewall(needs.store, caller.tenantId, id);
    if (input.name !== undefined) refuseName(input.name);
    const networks = input.allowed_ips && parseNetworks(input.allowed_ips);
    return viewFirewall(await changeFirewall(needs, caller.tenantId, id, { name: input.name, networks }));
  },
});

const deleteFirewallRoute = route({
  id: 'delete_firewall',
  method: 'DELETE',
  path: '/v1/firewalls/{id}',
  summary: 'Delete a firewall that no live API key is held to',
  admits: CONSOLE,
  pathId: parseId<FirewallId>,
  takes: nothing,
  refuses: ['firewall_in_use'],
  status: 204,
  handle: (needs: ChangeNeeds, { caller, id }) => deleteFirewall(needs.store, caller.tenantId, id),
});

/** What is done with firewalls. */
export const firewallRoutes: readonly Route<IdentifyNeeds & CreationNeeds>[] = [
  createFirewallRoute,
  listFirewallsRoute,
  getFirewallRoute,
  updateFirewallRoute,
  deleteFirewallRoute,
];
