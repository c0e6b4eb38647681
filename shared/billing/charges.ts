import { DAY_US } from '../base/clock.ts';
import { TIER, type Tier } from '../keys/tiers.ts';
import { allowance, daysExisting, daysInMonth, isByTheDay, type Life } from '../metering/allowance.ts';
import { dayOf, type Month, monthOf } from '../metering/month.ts';

/** Money: a whole number of the month's units, of which {@link unitsPerCent} make a cent. Exact. */
export type Units = bigint;

/** What a paid key costs in a month. */
export interface Charge {
  /** Whether the key existed in the month at any point. */
  readonly existed: boolean;
  /** The UTC days that the key exists in; `null` in a month that is billed by the key-month. */
  readonly days: number | null;
  readonly daysInMonth: number | null;
  readonly fee: Units;
  readonly allowance: number;
  readonly overageOps: number;
  readonly overage: Units;
}

/** A fee is a fraction of days, an operation a thousandth of a cent or a few: in these units all amounts of a month are whole. */
export function unitsPerCent(month: Month): bigint {
  return 1000n * BigInt(daysInMonth(month));
}

/** What a paid key that lived so and performed `ops` operations costs in the month. */
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

/** Before October 2026: a whole key-month for every month in which the key exists at any point, but for the exceptions. */
function owesKeyMonth(life: Life, month: Month): boolean {
  return daysExisting(life, month) > 0 && !cameOnLastDay(life, month) && !wasBrief(life, month);
}

/** A key created on the last UTC day of a month is not billed for that month. */
function cameOnLastDay({ created_at }: Life, month: Month): boolean {
  return monthOf(created_at) === month && dayOf(created_at) === daysInMonth(month);
}

/** A key deleted within 24 hours of its creation, and not restored by the month's end, is never billed a key-month. */
function wasBrief(life: Life, month: Month): boolean {
  return life.deletions.some(
    ({ requested_at, restored_at }) =>
      requested_at - life.created_at <= DAY_US && (restored_at === null || monthOf(restored_at) > month),
  );
}

/** Units as cents, rounded half up at the fifth place, without trailing zeros: `"96.77419"`. */
export function viewCents(units: Units, month: Month): string {
  const scaled = roundHalfUp(units * 100_000n, unitsPerCent(month));
  const places = String(scaled % 100_000n)
    .padStart(5, '0')
    .replace(/0{1,5}$/, '');
  return places === '' ? String(scaled / 100_000n) : `${scaled / 100_000n}.${places}`;
}

/** Units as whole cents, rounded half up. */
export function wholeCents(units: Units, month: Month): number {
  return Number(roundHalfUp(units, unitsPerCent(month)));
}

function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}
