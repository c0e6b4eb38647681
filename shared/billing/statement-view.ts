import { z } from 'zod';
import { tierSchema } from '../keys/tiers.ts';
import type { Statement } from './statement.ts';

const cents = z.string().regex(/^\d+(\.\d{1,5})?$/);

/** The statement of the interface. */
export const statementAnswer = z
  .object({
    period: z.string().regex(/^\d{4}-\d{2}$/),
    currency: z.literal('usd'),
    lines: z.array(
      z.object({
        key_id: z.uuid(),
        key_name: z.string(),
        tier: tierSchema,
        days: z.int().nullable(),
        days_in_month: z.int().nullable(),
        fee_cents: cents,
        ops: z.int(),
        allowance: z.int(),
        overage_ops: z.int(),
        overage_cents: cents,
      }),
    ),
    total_cents: cents,
  })
  .meta({ id: 'Statement' });

/** A statement as its tenant sees it. */
export function viewStatement({ period, lines, total_cents }: Statement): z.input<typeof statementAnswer> {
  return { period, currency: 'usd', lines: [...lines], total_cents: String(total_cents) };
}
