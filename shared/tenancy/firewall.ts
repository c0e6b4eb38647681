import { z } from 'zod';
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
