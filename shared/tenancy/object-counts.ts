import { z } from 'zod';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection } from '../store/collection.ts';

const objectCounts = z.object({
  tenant_id: idSchema<TenantId>(),
  /** Keys that are live or being made. */
  keys: z.int(),
  /** Those of them of the tier `free`. */
  free_keys: z.int(),
  /** API keys that are not revoked. */
  api_keys: z.int(),
  containers: z.int(),
  firewalls: z.int(),
});

/** How many things a tenant has. */
export type ObjectCounts = z.output<typeof objectCounts>;
/** What is counted. */
export type Counter = Exclude<keyof ObjectCounts, 'tenant_id'>;

/** `objectCounts/{tenant id}`: made with the tenant, and changed in every commit in which one of its things begins or ends. */
export const OBJECT_COUNTS = collection('objectCounts', objectCounts);
