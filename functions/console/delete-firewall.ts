import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { deleteFirewall } from '../../shared/tenancy/firewalls.ts';
import { needs } from '../needs.ts';
import { FIREWALL } from './targets.ts';

export const deleteFirewallRoute = needs('store').changeRoute({
  id: 'delete_firewall',
  operation: 'delete_firewall',
  method: 'DELETE',
  path: '/v1/firewalls/{id}',
  summary: 'Delete a firewall that no API key uses',
  description: 'Deletes a firewall. Remove it from all API keys first.',
  tag: 'Firewalls',
  admits: CONSOLE,
  target: FIREWALL,
  takes: nothing,
  refuses: ['firewall_in_use'],
  status: 204,
  handle: ({ store }, { caller, id, record }) => deleteFirewall(store, caller.tenantId, id, record),
});
