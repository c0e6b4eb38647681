import { z } from 'zod';
import { logWeakening } from '../../shared/audit/log-weakening.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nameField, networksField } from '../../shared/http/fields.ts';
import { firewallAnswer, viewFirewall } from '../../shared/tenancy/firewall.ts';
import { changeFirewall, loadFirewall } from '../../shared/tenancy/firewalls.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseNetworks } from '../../shared/tenancy/networks.ts';
import { opensFirewall } from '../../shared/tenancy/weakening.ts';
import { needs } from '../needs.ts';
import { FIREWALL } from './targets.ts';

export const updateFirewallRoute = needs('store', 'clock', 'log').changeRoute({
  id: 'update_firewall',
  operation: 'update_firewall',
  method: 'PATCH',
  path: '/v1/firewalls/{id}',
  summary: 'Update a firewall',
  description:
    'Changes the name or the networks of a firewall. Omitted fields do not change. New networks apply to every API key that uses the firewall.',
  tag: 'Firewalls',
  admits: CONSOLE,
  target: FIREWALL,
  takes: jsonBody(
    z.strictObject({
      name: nameField.meta({ examples: ['head office'] }).optional(),
      allowed_ips: networksField.optional(),
    }),
  ),
  refuses: ['invalid_name', 'invalid_allowed_ips', 'firewall_exists'],
  status: 200,
  answer: firewallAnswer,
  async handle(services, { origin, caller, id, input, record }) {
    await loadFirewall(services.store, caller.tenantId, id);
    if (input.name !== undefined) refuseName(input.name);
    const networks = input.allowed_ips && parseNetworks(input.allowed_ips);
    const change = { name: input.name, networks };
    const { before, after } = await changeFirewall(services, caller.tenantId, id, change, record);
    if (opensFirewall({ before: before.allowed_ips, after: after.allowed_ips }))
      logWeakening(services, 'firewall opened', origin, id);
    return viewFirewall(after);
  },
});
