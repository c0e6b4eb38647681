import { DAY_US } from '../base/clock.ts';
import { dayOf, type Month, monthOf } from '../base/month.ts';
import { allowance, daysExisting, daysInMonth, isByTheDay, type Life } from '../metering/allowance.ts';
import { TIER, type Tier } from '../tiers.ts';

/** A fraction of a cent: {@link unitsPerCent} units are exactly one cent. */
export type Units = bigint;

interface Charge {
  readonly existed: boolean;
  /** The number of UTC days on which the key existed; `null` before October 2026, when keys were billed by month. */
  readonly days: number | null;
  readonly daysInMonth: number | null;
  readonly fee: Units;
  readonly allowance: number;
  readonly overageOps: number;
  readonly overage: Units;
}

/** Returns how many units equal one cent, so that a day's fee and a thousandth of a cent are whole numbers of units. */
export function unitsPerCent(month: Month): bigint {
  return 1000n * BigInt(daysInMonth(month));
}

/** Returns the cost of a paid key with `ops` operations in the month. */
export function chargeKey(tier: Tier, life: Life, ops: number, month: Month): Charge {
  const { feeCents, overageMilliCents } = TIER[tier];
  const byTheDay = isByTheDay(month);
  const included = allowance(tier, life, month);
  const overageOps = Math.max(0, ops - included);
  const all = daysInMonth(month);
  const days = daysExisting(life, month);
  const billedDays = byTheDay ? days : owesKeyMonth(life, month) ? all : 0;
  return {
    existed: days > 0,
    days: byTheDay ? days : null,
    daysInMonth: byTheDay ? all : null,
    fee: BigInt(feeCents) * 1000n * BigInt(billedDays),
    allowance: included,
    overageOps,
    overage: BigInt(overageOps) * BigInt(overageMilliCents) * BigInt(all),
  };
}

/** Whether, before October 2026, a key owes a month's full fee: if it existed in the month, with two exceptions. */
function owesKeyMonth(life: Life, month: Month): boolean {
  return daysExisting(life, month) > 0 && !wasCreatedOnLastDay(life, month) && !wasDeletedWithinDay(life, month);
}

/** Whether the key was created on the month's last UTC day. Such a key is not billed for that month. */
function wasCreatedOnLastDay({ created_at }: Life, month: Month): boolean {
  return monthOf(created_at) === month && dayOf(created_at) === daysInMonth(month);
}

/** Whether the key was deleted within 24 hours and not restored by the month's end. Such a key is not billed. */
function wasDeletedWithinDay(life: Life, month: Month): boolean {
  return life.deletions.some(
    ({ requested_at, restored_at }) =>
      requested_at - life.created_at <= DAY_US && (restored_at === null || monthOf(restored_at) > month),
  );
}

/** Returns cents, rounded half up to five places, without trailing zeros: `"96.77419"`. */
export function viewCents(units: Units, month: Month): string {
  const scaled = roundHalfUp(units * 100_000n, unitsPerCent(month));
  const places = String(scaled % 100_000n)
    .padStart(5, '0')
    .replace(/0{1,5}$/, '');
  return places === '' ? String(scaled / 100_000n) : `${scaled / 100_000n}.${places}`;
}

/** Returns cents, rounded half up to a whole number. */
export function wholeCents(units: Units, month: Month): number {
  return Number(roundHalfUp(units, unitsPerCent(month)));
}

function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}
