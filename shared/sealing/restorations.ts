import { z } from 'zod';
import { idSchema, type TenantId } from '../base/ids.ts';
import { appendOnlyCollection } from '../store/collection.ts';

const restoration = z.object({
  tenant_id: idSchema<TenantId>(),
  /** 0 for the tenant's first. */
  index: z.int().min(0),
  /** A signed note. */
  statement: z.string(),
});

/** `restorations/{tenant id}_{index}`: the statements that a log was restored from a backup. Created once, never changed. */
export const RESTORATIONS = appendOnlyCollection('restorations', restoration);

export function restorationId(tenantId: TenantId, index: number): string {
  return `${tenantId}_${index}`;
}
