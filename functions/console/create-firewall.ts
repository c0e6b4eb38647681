import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { containerField, nameField, networksField } from '../../shared/http/fields.ts';
import { NEW } from '../../shared/http/target.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall.ts';
import { createFirewall } from '../../shared/tenancy/firewalls.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseNetworks } from '../../shared/tenancy/networks.ts';
import { resolveContainer } from '../../shared/tenancy/placement.ts';
import { needs } from '../needs.ts';

/** Answers 201. If a network has host bits set, the message of `invalid_allowed_ips` names the intended network. */
export const createFirewallRoute = needs('store', 'clock', 'creations').changeRoute({
  id: 'create_firewall',
  operation: 'create_firewall',
  method: 'POST',
  path: '/v1/firewalls',
  summary: 'Create a firewall',
  description: 'Creates a firewall in a container. The firewall takes effect once an API key of the container uses it.',
  tag: 'Firewalls',
  admits: CONSOLE,
  target: NEW,
  takes: jsonBody(
    z.object({
      name: nameField.meta({ examples: ['office'] }),
      allowed_ips: networksField,
      container_id: containerField,
    }),
  ),
  refuses: ['invalid_name', 'invalid_allowed_ips', 'invalid_container', 'firewall_exists', 'limit_reached'],
  status: 201,
  answer: firewallAnswer,
  async handle(services, { caller, input, record }) {
    refuseName(input.name);
    const networks = parseNetworks(input.allowed_ips);
    const containerId = await resolveContainer(services.store, caller, input.container_id);
    const wanted = { tenantId: caller.tenantId, containerId, name: input.name, networks };
    return viewFirewall(await createFirewall(services, wanted, record));
  },
});
