import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import type { Firewall } from './firewall.ts';

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
