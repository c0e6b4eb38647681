import { TIER, TIERS } from '../../../client/src/api/generated.ts';
import type { Statement } from '../../../client/src/index.ts';

/**
 * Where a month's total is heading, in cents: the fees as they stand, which count the days still to come, and the
 * operations past the allowance if they go on at the pace so far. `elapsed` is the part of the month that is over, 0 to 1.
 */
export function projectedCents(
  statement: Statement,
  prices: Readonly<Record<string, number>>,
  elapsed: number,
): number {
  const cents = statement.lines.map(({ fee_cents, ops, allowance, tier }) => {
    const atEnd = elapsed > 0 ? ops / elapsed : ops;
    return Number(fee_cents) + Math.max(0, Math.round(atEnd) - allowance) * (prices[tier] ?? 0);
  });
  return cents.reduce((sum, one) => sum + one, 0);
}

/** Cents of an operation past the allowance, by tier. */
export const OVERAGE_CENTS: Readonly<Record<string, number>> = Object.fromEntries(
  TIERS.map((tier) => [tier, TIER[tier].overageMilliCents / 1000]),
);
