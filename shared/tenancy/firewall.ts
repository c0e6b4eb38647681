import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import { type ContainerId, type FirewallId, idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';

const firewall = z.object({
  id: idSchema<FirewallId>(),
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  name: z.string(),
  /** CIDR networks in canonical form. */
  allowed_ips: z.array(z.string()),
  created_at: instantField,
  updated_at: instantField,
  /** When an API key was last given the firewall. This write makes a concurrent deletion of the firewall conflict. */
  held_at: instantField,
});

export type Firewall = z.output<typeof firewall>;

/** `firewalls/{firewall id}` */
export const FIREWALLS = collection('firewalls', firewall);
export const FIREWALLS_OF_TENANT: Query<Firewall> = { from: FIREWALLS, equal: ['tenant_id'] };
export const FIREWALLS_OF_CONTAINER: Query<Firewall> = { from: FIREWALLS, equal: ['container_id'] };

export const firewallAnswer = z
  .object({
    id: z.uuid().describe('The ID of the firewall.'),
    name: z.string().describe('The name of the firewall, unique in its container.'),
    container_id: z.uuid().describe('The container whose API keys can use the firewall.'),
    allowed_ips: z.array(z.string()).describe('The allowed networks in CIDR notation.'),
    created_at: z.iso.datetime().describe('When the firewall was created.'),
    updated_at: z.iso.datetime().describe('When the firewall was last changed.'),
  })
  .meta({ id: 'Firewall' });

export function viewFirewall(firewall: Firewall): z.input<typeof firewallAnswer> {
  const { id, name, container_id, allowed_ips, created_at, updated_at } = firewall;
  return {
    id,
    name,
    container_id,
    allowed_ips,
    created_at: viewInstant(created_at),
    updated_at: viewInstant(updated_at),
  };
}
