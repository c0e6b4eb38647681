import { z } from 'zod';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection } from '../store/collection.ts';

const objectCounts = z.object({
  tenant_id: idSchema<TenantId>(),
  /** The number of live keys and of keys that are being created. */
  keys: z.int(),
  free_keys: z.int(),
  api_keys: z.int(),
  containers: z.int(),
  firewalls: z.int(),
});

export type ObjectCounts = z.output<typeof objectCounts>;
export type Counter = Exclude<keyof ObjectCounts, 'tenant_id'>;

/** `objectCounts/{tenant id}`: updated in each commit that creates or removes an object of the tenant. */
export const OBJECT_COUNTS = collection('objectCounts', objectCounts);
