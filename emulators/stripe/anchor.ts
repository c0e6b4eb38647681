import * as z from 'zod';
import { invalidRequest } from './errors.ts';
import { count } from './params.ts';
import type { AnchorConfigRecord } from './records.ts';

/** Where a new subscription's monthly cycle begins, in requests. */
export const anchorParams = {
  billing_cycle_anchor: count.optional(),
  billing_cycle_anchor_config: z
    .strictObject({
      day_of_month: count.pipe(z.int().min(1).max(31)),
      hour: count.pipe(z.int().max(23)).optional(),
      minute: count.pipe(z.int().max(59)).optional(),
      second: count.pipe(z.int().max(59)).optional(),
    })
    .optional(),
  proration_behavior: z.enum(['none', 'create_prorations']).optional(),
};

type AnchorParams = z.output<z.ZodObject<typeof anchorParams>>;

/** The anchor as it is stored. Throws when a request gives both forms of it, or a past one. */
export function readAnchor(params: AnchorParams, now: number) {
  const { billing_cycle_anchor: anchor, billing_cycle_anchor_config: config } = params;
  if (anchor !== undefined && config !== undefined) {
    throw invalidRequest(
      'You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config.',
      {
        code: 'parameters_exclusive',
      },
    );
  }
  if (anchor !== undefined && anchor <= now) {
    throw invalidRequest('billing_cycle_anchor must be a future timestamp.', { param: 'billing_cycle_anchor' });
  }
  return { billing_cycle_anchor: anchor ?? null, billing_cycle_anchor_config: config ? stored(config) : null };
}

function stored(config: NonNullable<AnchorParams['billing_cycle_anchor_config']>): AnchorConfigRecord {
  const { day_of_month, hour = null, minute = null, second = null } = config;
  return { day_of_month, hour, minute, second };
}
