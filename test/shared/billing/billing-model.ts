/** Computes a key’s charge day by day, as specified. Shares no code with the code under test. */

type PaidTier = 'wrapped' | 'software' | 'hsm';

/** The history of a key, in milliseconds since the epoch. A deleted key that was not restored was destroyed. */
export interface Past {
  readonly created: number;
  readonly deletions: readonly { readonly requested: number; readonly restored: number | null }[];
}

/** An exact number of cents. */
export type Fraction = readonly [numerator: bigint, denominator: bigint];

export interface Bill {
  readonly fee: Fraction;
  readonly allowance: number;
  readonly overageOps: number;
  readonly overage: Fraction;
}

const DAY = 86_400_000;
const FEE_CENTS = { wrapped: 300n, software: 1000n, hsm: 3500n } as const;
const INCLUDED = { wrapped: 50_000, software: 100_000, hsm: 250_000 } as const;
/** The number of operations that cost one cent: an operation costs $0.00001, $0.00002 or $0.00005. */
const OPS_FOR_A_CENT = { wrapped: 1000n, software: 500n, hsm: 200n } as const;

/** Returns the bill for a month (`YYYY-MM`), computed from the key’s state at the end of that month. */
export function billByHand(tier: PaidTier, past: Past, ops: number, month: string): Bill {
  const days = daysOf(month);
  const end = days[days.length - 1]?.end ?? 0;
  const deletedAt = deletionInForce(past, end);
  const existsOn = days.filter((day) => past.created < day.end && (deletedAt === null || deletedAt >= day.start));
  const byTheDay = month >= '2026-10';
  const whole = BigInt(days.length);
  const allowance = byTheDay ? shareOf(INCLUDED[tier], existsOn.length, days.length) : INCLUDED[tier];
  const overageOps = ops > allowance ? ops - allowance : 0;
  const share = byTheDay ? BigInt(existsOn.length) : owes(past, deletedAt, days, existsOn.length > 0) ? whole : 0n;
  return {
    fee: [FEE_CENTS[tier] * share, whole],
    allowance,
    overageOps,
    overage: [BigInt(overageOps), OPS_FOR_A_CENT[tier]],
  };
}

function daysOf(month: string): { start: number; end: number }[] {
  const days = [];
  for (let start = Date.parse(`${month}-01T00:00:00Z`); new Date(start).toISOString().startsWith(month); start += DAY) {
    days.push({ start, end: start + DAY });
  }
  return days;
}

/** Returns when the key’s deletion was last requested, or `null` if the key is not deleted when the month ends. */
function deletionInForce(past: Past, end: number): number | null {
  let since: number | null = null;
  for (const { requested, restored } of past.deletions) {
    if (requested >= end) break;
    since = restored !== null && restored < end ? null : requested;
  }
  return since;
}

/** Whether the key pays the fee for a month, by the rules that applied before October 2026. */
function owes(past: Past, deletedAt: number | null, days: readonly { start: number }[], existed: boolean): boolean {
  const lastDay = days[days.length - 1]?.start ?? 0;
  const cameOnLastDay = past.created >= lastDay;
  const deletedWithinADay = deletedAt !== null && deletedAt <= past.created + DAY;
  return existed && !cameOnLastDay && !deletedWithinADay;
}

/** Returns the share of the included operations for `days` of a month, rounded down to a whole number. */
function shareOf(included: number, days: number, daysInMonth: number): number {
  let ops = 0;
  for (let step = 2 ** 18; step >= 1; step /= 2) if ((ops + step) * daysInMonth <= included * days) ops += step;
  return ops;
}
