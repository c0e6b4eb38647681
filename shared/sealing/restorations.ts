import { z } from 'zod';
import { idSchema, type TenantId } from '../base/ids.ts';
import { appendOnlyCollection } from '../store/collection.ts';

const restoration = z.object({
  tenant_id: idSchema<TenantId>(),
  index: z.int().min(0),
  /** A signed note. */
  statement: z.string(),
});

/** `restorations/{tenant id}_{index}`: signed statements of restores. Created once, never changed. */
export const RESTORATIONS = appendOnlyCollection('restorations', restoration);

export function restorationId(tenantId: TenantId, index: number): string {
  return `${tenantId}_${index}`;
}
