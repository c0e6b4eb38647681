import { TIER, TIERS } from '../../../client/src/api/generated.ts';
import type { Statement } from '../../../client/src/index.ts';

/**
 * Returns the projected total of a month, in cents. The fees already cover the whole month. The projection assumes that
 * operations beyond the allowance continue at the same rate. `elapsed` is the fraction of the month that has passed,
 * from 0 to 1.
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

/** The price in cents of one operation beyond the allowance, by tier. */
export const OVERAGE_CENTS: Readonly<Record<string, number>> = Object.fromEntries(
  TIERS.map((tier) => [tier, TIER[tier].overageMilliCents / 1000]),
);
