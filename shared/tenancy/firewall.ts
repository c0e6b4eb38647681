import { z } from 'zod';
import { type ContainerId, type FirewallId, idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';

const firewall = z.object({
  id: idSchema<FirewallId>(),
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  name: z.string(),
  /** Networks as address and prefix length, in canonical form. */
  allowed_ips: z.array(z.string()),
  created_at: instantField,
  updated_at: instantField,
});

/** A firewall as stored. A deleted one has no document. */
export type Firewall = z.output<typeof firewall>;

/** `firewalls/{firewall id}` */
export const FIREWALLS = collection('firewalls', firewall);
