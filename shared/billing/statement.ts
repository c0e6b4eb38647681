import { z } from 'zod';
import { byAge } from '../base/age.ts';
import { type Id, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import type { Key } from '../keys/key.ts';
import { TIERS, type Tier, tierSchema } from '../keys/tiers.ts';
import { type Month, monthSchema } from '../metering/month.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
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
  /** The exact sum, rounded once, half up. */
  total_cents: z.int(),
  /** The total as it stands on the invoice: a part for each tier that costs something. */
  parts: z.array(z.object({ tier: tierSchema, cents: z.int() })),
});

const stored = totals.extend({
  /** Under which id its lines are stored, which was made for it alone. */
  lines_id: idSchema<LinesId>(),
  /** In how many chunks. */
  chunks: z.int().min(0),
});

const chunk = z.object({
  tenant_id: idSchema<TenantId>(),
  lines_id: idSchema<LinesId>(),
  lines: z.array(line),
});

/** What the lines of one drawing-up of a statement are stored under. */
export type LinesId = Id<'lines'>;
/** What a paid key costs in a month. */
export type StatementLine = z.output<typeof line>;
/** What a tenant's month costs in all: what an invoice is made of. */
export type Totals = z.output<typeof totals>;
/** A closed month as stored: its lines are documents of their own, for a document takes 1 MiB. */
export type StoredStatement = z.output<typeof stored>;
/** What a tenant's month costs, key by key. */
export type Statement = Totals & { readonly lines: readonly StatementLine[] };

/** `statements/{tenant id}_{month}`: a closed month, written once. */
export const STATEMENTS = collection('statements', stored);
/** `statementLines/{lines id}_{number}`: some lines of a statement, if a statement names their id; else of no statement. */
export const STATEMENT_LINES = collection('statementLines', chunk);
/** The lines of a statement, in the order of their documents. */
export const LINES_OF_STATEMENT: Query<z.output<typeof chunk>> = { from: STATEMENT_LINES, equal: ['lines_id'] };

/** The document of a tenant's closed month. */
export function statementId(tenantId: TenantId, month: Month): string {
  return `${tenantId}_${month}`;
}

/** A paid key with its operations of a month. */
export interface PaidUsage {
  readonly key: Pick<Key, 'id' | 'name' | 'tier' | 'created_at' | 'deletions'>;
  readonly ops: number;
}

/** What paid keys of a tenant cost in the month: a line for each that existed or was used in it, oldest first. */
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

/** Whole cents for each tier that add up to the total exactly: each is the difference between two rounded running sums. */
function splitTotal(sums: ReadonlyMap<Tier, Units>, month: Month): Statement['parts'] {
  let running = 0n;
  const parts = TIERS.map((tier) => {
    const before = wholeCents(running, month);
    running += sums.get(tier) ?? 0n;
    return { tier, cents: wholeCents(running, month) - before };
  });
  return parts.filter(({ cents }) => cents > 0);
}
