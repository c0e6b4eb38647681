import { z } from 'zod';
import { idSchema, type TenantId } from '../base/ids.ts';
import { monthSchema } from '../base/month.ts';
import { collection } from '../store/collection.ts';

const objectCounts = z.object({
  tenant_id: idSchema<TenantId>(),
  /** The number of live keys and of keys that are being created. */
  keys: z.int(),
  free_keys: z.int(),
  api_keys: z.int(),
  containers: z.int(),
  firewalls: z.int(),
  /** The month in which `paid_keys_created` was counted. */
  paid_keys_month: monthSchema.nullable().default(null),
  /** The number of paid keys that the tenant created in that month. Destroying a key does not lower it. */
  paid_keys_created: z.int().default(0),
  /** The bytes of JSON of the federations of all live API keys. */
  federation_bytes: z.int().default(0),
});

export type ObjectCounts = z.output<typeof objectCounts>;
export type Counter = Exclude<
  keyof ObjectCounts,
  'tenant_id' | 'paid_keys_month' | 'paid_keys_created' | 'federation_bytes'
>;

/** `objectCounts/{tenant id}`: updated in each commit that creates or removes an object of the tenant. */
export const OBJECT_COUNTS = collection('objectCounts', objectCounts);
