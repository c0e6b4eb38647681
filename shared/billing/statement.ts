import { z } from 'zod';
import { byAge } from '../base/age.ts';
import { idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { TIER, TIERS, type Tier, tierSchema } from '../keys/tiers.ts';
import { type Month, monthSchema } from '../metering/month.ts';
import type { KeyUsage } from '../metering/usage.ts';
import { collection } from '../store/collection.ts';
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

const statement = z.object({
  tenant_id: idSchema<TenantId>(),
  period: monthSchema,
  lines: z.array(line),
  /** The exact sum, rounded once, half up. */
  total_cents: z.int(),
  /** The total as it stands on the invoice: a part for each tier that costs something. */
  parts: z.array(z.object({ tier: tierSchema, cents: z.int() })),
});

/** What a tenant's month costs. */
export type Statement = z.output<typeof statement>;

/** `statements/{tenant id}_{month}`: a closed month, written once. */
export const STATEMENTS = collection('statements', statement);

/** The document of a tenant's closed month. */
export function statementId(tenantId: TenantId, month: Month): string {
  return `${tenantId}_${month}`;
}

/** What the keys of a tenant cost in the month: a line for each paid key that existed or was used in it, oldest first. */
export function makeStatement(tenantId: TenantId, month: Month, usage: readonly KeyUsage[]): Statement {
  const charged = usage
    .toSorted((a, b) => byAge(a.key, b.key))
    .filter(({ key }) => TIER[key.tier].paid)
    .map(({ key, ops }) => ({ key, ops, charge: chargeKey(key.tier, key, ops, month) }))
    .filter(({ ops, charge }) => charge.existed || ops > 0);
  const sums = TIERS.map((tier) => ({
    tier,
    units: charged
      .filter(({ key }) => key.tier === tier)
      .reduce((sum, { charge }) => sum + charge.fee + charge.overage, 0n),
  }));
  return {
    tenant_id: tenantId,
    period: month,
    lines: charged.map(({ key, ops, charge }) => ({
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
    })),
    total_cents: wholeCents(
      sums.reduce((sum, { units }) => sum + units, 0n),
      month,
    ),
    parts: splitTotal(sums, month),
  };
}

/** Whole cents for each tier that add up to the total exactly: each is the difference between two rounded running sums. */
function splitTotal(sums: readonly { tier: Tier; units: Units }[], month: Month): Statement['parts'] {
  let running = 0n;
  const parts = sums.map(({ tier, units }) => {
    const before = wholeCents(running, month);
    running += units;
    return { tier, cents: wholeCents(running, month) - before };
  });
  return parts.filter(({ cents }) => cents > 0);
}
