import { z } from 'zod';
import { byAge } from '../base/clock.ts';
import { type Id, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { type Month, monthSchema } from '../base/month.ts';
import type { Key } from '../keys/key.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import { TIERS, type Tier, tierSchema } from '../tiers.ts';
import { chargeKey, type Units, viewCents, wholeCents } from './charges.ts';

const line = z.object({
  key_id: idSchema<KeyId>(),
  key_name: z.string(),
  tier: tierSchema,
  days: z.int().nullable(),
  days_in_month: z.int().nullable(),
  fee_cents: z.string(),
  ops: z.int(),
  allowance: z.int(),
  overage_ops: z.int(),
  overage_cents: z.string(),
});

const totals = z.object({
  tenant_id: idSchema<TenantId>(),
  period: monthSchema,
  /** The exact sum of the lines, rounded half up to whole cents. */
  total_cents: z.int(),
  /** The invoice's items, one for each tier with costs. */
  parts: z.array(z.object({ tier: tierSchema, cents: z.int() })),
});

const stored = totals.extend({
  /** The prefix of the document ids of the statement's lines. */
  lines_id: idSchema<LinesId>(),
  chunks: z.int().min(0),
});

const chunk = z.object({
  tenant_id: idSchema<TenantId>(),
  lines_id: idSchema<LinesId>(),
  lines: z.array(line),
});

export type LinesId = Id<'lines'>;
export type StatementLine = z.output<typeof line>;
export type Totals = z.output<typeof totals>;
/** A closed month. Its lines are separate documents, because Firestore limits a document to 1 MiB. */
export type StoredStatement = z.output<typeof stored>;
export type Statement = Totals & { readonly lines: readonly StatementLine[] };

/** `statements/{tenant id}_{month}`: written once. */
export const STATEMENTS = collection('statements', stored);
/** `statementLines/{lines id}_{number}`. Lines without a statement that contains their id are ignored. */
export const STATEMENT_LINES = collection('statementLines', chunk);
export const LINES_OF_STATEMENT: Query<z.output<typeof chunk>> = { from: STATEMENT_LINES, equal: ['lines_id'] };

export function statementId(tenantId: TenantId, month: Month): string {
  return `${tenantId}_${month}`;
}

export interface PaidUsage {
  readonly key: Pick<Key, 'id' | 'name' | 'tier' | 'created_at' | 'deletions'>;
  readonly ops: number;
}

/** Computes a month's statement. Includes the keys that existed or were used in the month. */
export function makeStatement(tenantId: TenantId, month: Month, usage: Iterable<PaidUsage>): Statement {
  const lines: StatementLine[] = [];
  const sums = new Map<Tier, Units>();
  for (const { key, ops } of [...usage].sort((a, b) => byAge(a.key, b.key))) {
    const charge = chargeKey(key.tier, key, ops, month);
    if (!charge.existed && ops === 0) continue;
    sums.set(key.tier, (sums.get(key.tier) ?? 0n) + charge.fee + charge.overage);
    lines.push({
      key_id: key.id,
      key_name: key.name,
      tier: key.tier,
      days: charge.days,
      days_in_month: charge.daysInMonth,
      fee_cents: viewCents(charge.fee, month),
      ops,
      allowance: charge.allowance,
      overage_ops: charge.overageOps,
      overage_cents: viewCents(charge.overage, month),
    });
  }
  const total = [...sums.values()].reduce((sum, units) => sum + units, 0n);
  return {
    tenant_id: tenantId,
    period: month,
    lines,
    total_cents: wholeCents(total, month),
    parts: splitTotal(sums, month),
  };
}

/** Splits the total by tier. Rounds the running sums, so that the rounded parts add up to the rounded total. */
function splitTotal(sums: ReadonlyMap<Tier, Units>, month: Month): Statement['parts'] {
  let running = 0n;
  const parts = TIERS.map((tier) => {
    const before = wholeCents(running, month);
    running += sums.get(tier) ?? 0n;
    return { tier, cents: wholeCents(running, month) - before };
  });
  return parts.filter(({ cents }) => cents > 0);
}

const cents = z.string().regex(/^\d+(\.\d{1,5})?$/);

export const statementAnswer = z
  .object({
    period: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe('The UTC month, as YYYY-MM.'),
    currency: z.literal('usd').describe('The currency of all amounts.'),
    lines: z
      .array(
        z.object({
          key_id: z.uuid().describe('The ID of the key.'),
          key_name: z.string().describe('The name of the key.'),
          tier: tierSchema.describe('The tier of the key.'),
          days: z
            .int()
            .nullable()
            .describe('The number of days for which the key is billed; `null` before October 2026.'),
          days_in_month: z.int().nullable().describe('The number of days in the month; `null` before October 2026.'),
          fee_cents: cents.describe('The fee of the key in cents, exact.'),
          ops: z.int().describe('Metered operations in the month.'),
          allowance: z.int().describe('Operations included in the fee.'),
          overage_ops: z.int().describe('Operations beyond the allowance.'),
          overage_cents: cents.describe('The cost of the overage in cents, exact.'),
        }),
      )
      .describe('One line for each paid key that existed or was used in the month. Oldest key first.'),
    total_cents: cents.describe('The exact sum of all lines, rounded to whole cents.'),
  })
  .meta({ id: 'Statement' });

export function viewStatement({ period, lines, total_cents }: Statement): z.input<typeof statementAnswer> {
  return { period, currency: 'usd', lines: [...lines], total_cents: String(total_cents) };
}
