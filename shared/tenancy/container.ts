import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import { type ContainerId, idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';

const container = z.object({
  id: idSchema<ContainerId>(),
  tenant_id: idSchema<TenantId>(),
  name: z.string(),
  is_default: z.boolean(),
  created_at: instantField,
  /** When an object was last added. This write makes a concurrent deletion of the container conflict. */
  filled_at: instantField,
});

export type Container = z.output<typeof container>;

/** `containers/{container id}` */
export const CONTAINERS = collection('containers', container);
export const CONTAINERS_OF_TENANT: Query<Container> = { from: CONTAINERS, equal: ['tenant_id'] };

export const containerAnswer = z
  .object({
    id: z.uuid().describe('The ID of the container.'),
    name: z.string().describe('The name of the container, unique in the tenant.'),
    is_default: z.boolean().describe("Whether this is the tenant's default container."),
    created_at: z.iso.datetime().describe('When the container was created.'),
  })
  .meta({ id: 'Container' });

export function viewContainer({ id, name, is_default, created_at }: Container): z.input<typeof containerAnswer> {
  return { id, name, is_default, created_at: viewInstant(created_at) };
}
