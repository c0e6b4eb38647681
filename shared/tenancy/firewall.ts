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
  /** Networks as address and prefix length, in canonical form. */
  allowed_ips: z.array(z.string()),
  created_at: instantField,
  updated_at: instantField,
  /** When an API key was last held to it: written with each such change, so that a deletion under way notices. */
  held_at: instantField,
});

/** A firewall as stored. A deleted one has no document. */
export type Firewall = z.output<typeof firewall>;

/** `firewalls/{firewall id}` */
export const FIREWALLS = collection('firewalls', firewall);
/** The firewalls of a tenant. */
export const FIREWALLS_OF_TENANT: Query<Firewall> = { from: FIREWALLS, equal: ['tenant_id'] };
/** The firewalls of a container. */
export const FIREWALLS_OF_CONTAINER: Query<Firewall> = { from: FIREWALLS, equal: ['container_id'] };

/** The firewall object of the interface. */
export const firewallAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    container_id: z.uuid(),
    allowed_ips: z.array(z.string()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Firewall' });

/** A firewall as its tenant sees it. */
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
