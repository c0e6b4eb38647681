import { z } from 'zod';
import { type Id, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { type Month, monthSchema } from '../base/month.ts';
import type { KeyUsage } from '../metering/month-keys.ts';
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
/** A statement whose lines are still to be read. Its totals are known once all lines have been read. */
export interface Statement {
  readonly period: Month;
  readonly lines: AsyncIterable<readonly StatementLine[]>;
  readonly totals: () => Totals;
}

/** `statements/{tenant id}_{month}`: written once. */
export const STATEMENTS = collection('statements', stored);
/** `statementLines/{lines id}_{number}`. Lines without a statement that contains their id are ignored. */
export const STATEMENT_LINES = collection('statementLines', chunk);
export const LINES_OF_STATEMENT: Query<z.output<typeof chunk>> = { from: STATEMENT_LINES, equal: ['lines_id'] };

export function statementId(tenantId: TenantId, month: Month): string {
  return `${tenantId}_${month}`;
}

/** Computes a month's statement line by line, so that a statement of any length needs little memory. */
export class StatementSums {
  readonly #tenantId: TenantId;
  readonly #month: Month;
  readonly #sums = new Map<Tier, Units>();

  constructor(tenantId: TenantId, month: Month) {
    this.#tenantId = tenantId;
    this.#month = month;
  }

  /** Adds a key to the sums. Returns no line for a key that neither existed nor was used in the month. */
  lineOf({ key, ops }: KeyUsage): StatementLine[] {
    const month = this.#month;
    const charge = chargeKey(key.tier, key, ops, month);
    if (!charge.existed && ops === 0) return [];
    this.#sums.set(key.tier, (this.#sums.get(key.tier) ?? 0n) + charge.fee + charge.overage);
    return [
      {
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
      },
    ];
  }

  /** Returns the totals of all lines so far. */
  totals(): Totals {
    const total = [...this.#sums.values()].reduce((sum, units) => sum + units, 0n);
    return {
      tenant_id: this.#tenantId,
      period: this.#month,
      total_cents: wholeCents(total, this.#month),
      parts: splitTotal(this.#sums, this.#month),
    };
  }
}

/** Splits the total by tier. Rounds the running sums, so that the rounded parts add up to the rounded total. */
function splitTotal(sums: ReadonlyMap<Tier, Units>, month: Month): Totals['parts'] {
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
