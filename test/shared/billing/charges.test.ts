import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeInstant } from '../../../shared/base/clock.ts';
import { chargeKey, unitsPerCent, viewCents, wholeCents } from '../../../shared/billing/charges.ts';
import { asPending, asRestored } from '../../../shared/lifecycle/delete-key.ts';
import type { Life } from '../../../shared/metering/allowance.ts';
import type { Tier } from '../../../shared/tiers.ts';
import { aKey } from '../keys/a-key.ts';
import { life, month } from './a-life.ts';
import { billByHand, type Fraction, type Past } from './billing-model.ts';

/** A key’s charge for a month, as the statement shows it. */
function charge(tier: Tier, of: Life, ops: number, text: string) {
  const { days, fee, allowance, overageOps, overage } = chargeKey(tier, of, ops, month(text));
  const cents = { fee: viewCents(fee, month(text)), overage: viewCents(overage, month(text)) };
  return { days, ...cents, allowance, overageOps };
}

const ALL_MONTH = life('2026-01-15');

test.each([
  ['wrapped', 50_000, '300', '0.001'],
  ['software', 100_000, '1000', '0.002'],
  ['hsm', 250_000, '3500', '0.005'],
] as const)(
  'a %s key that exists all month has an allowance of %i and pays %s cents, and %s for each operation past the allowance',
  (tier, allowance, fee, onePast) => {
    const months = { '2026-09': null, '2026-10': 31, '2026-11': 30, '2027-02': 28, '2028-02': 29 };
    for (const [text, days] of Object.entries(months)) {
      const common = { days, fee, allowance };
      expect(charge(tier, ALL_MONTH, allowance, text)).toEqual({ ...common, overageOps: 0, overage: '0' });
      expect(charge(tier, ALL_MONTH, allowance + 1, text)).toEqual({ ...common, overageOps: 1, overage: onePast });
    }
  },
);

test.each([
  ['wrapped', '100', 16_666],
  ['software', '333.33333', 33_333],
  ['hsm', '1166.66667', 83_333],
] as const)(
  'a %s key that exists for 10 of 30 days has a third of the fee and of the allowance, rounded down',
  (tier, fee, allowance) => {
    for (const lived of [life('2026-11-21'), life('2026-01-15', ['2026-11-10'])]) {
      const expected = { days: 10, fee, allowance, overageOps: 0, overage: '0' };
      expect(charge(tier, lived, allowance, '2026-11')).toEqual(expected);
      expect(charge(tier, lived, allowance + 1, '2026-11')).toMatchObject({ fee, allowance, overageOps: 1 });
    }
  },
);

test('after a restore, the days on which the key was pending deletion are charged, but only those in the month of the restore', () => {
  const restored = life('2026-01-15', ['2026-10-29', '2026-11-02']);
  const costs = ['2026-10', '2026-11', '2026-12'].map((text) => charge('software', restored, 0, text));
  expect(costs).toMatchObject([
    { days: 29, fee: '935.48387', allowance: 93_548 },
    { days: 30, fee: '1000', allowance: 100_000 },
    { days: 31, fee: '1000', allowance: 100_000 },
  ]);
});

// The model, whose times are in milliseconds, does not know these limits to the microsecond.
test.each([
  ['created on the last day', '2026-11', life('2026-11-30T23:59:59.999999Z'), '10'],
  ['created in the next month', '2026-11', life('2026-12-01T00:00:00Z'), '0'],
  ['created and deleted on one day', '2026-11', life('2026-11-10T00:00:00Z', ['2026-11-10T23:59:59.999999Z']), '10'],
  ['deleted past midnight', '2026-11', life('2026-11-10T23:59:59.999999Z', ['2026-11-11T00:00:00Z']), '20'],
  ['created on the second-to-last day', '2026-09', life('2026-09-29T23:59:59.999999Z'), '300'],
  ['created on the last day', '2026-09', life('2026-09-30T00:00:00Z'), '0'],
  ['deleted after 24 hours', '2026-09', life('2026-09-10', ['2026-09-11T12:00:00.000000Z']), '0'],
  ['deleted after more than 24 hours', '2026-09', life('2026-09-10', ['2026-09-11T12:00:00.000001Z']), '300'],
])('a wrapped key that was %s costs, in %s, the right fee', (_, text, of, fee) => {
  expect(charge('wrapped', of, 0, text).fee).toBe(fee);
});

const HOUR = 3_600_000;
const START = Date.parse('2026-06-28T00:00:00Z');
const MONTHS = ['2026-07', '2026-08', '2026-09', '2026-10', '2026-11', '2026-12', '2027-01', '2027-02', '2027-03'];

/** Random durations, often on a boundary: zero, a day plus or minus a millisecond, whole hours and whole days. */
const pause = fc.oneof(
  fc.constantFrom(0, 1, HOUR, 24 * HOUR - 1, 24 * HOUR, 24 * HOUR + 1),
  fc.nat(48).map((hours) => hours * HOUR),
  fc.nat(90).map((days) => days * 24 * HOUR),
  fc.nat(90 * 24 * HOUR),
);
const pending = fc.oneof(
  fc.nat(167).map((hours) => hours * HOUR),
  fc.nat(7 * 24 * HOUR - 1),
);
const birth = fc.oneof(
  fc.nat(250).map((days) => START + days * 24 * HOUR),
  fc.nat(250 * 24).map((hours) => START + hours * HOUR),
  fc.nat(250 * 24 * HOUR).map((ms) => START + ms),
  fc.constantFrom(...MONTHS).map((text) => Date.parse(`${text}-01T00:00:00Z`) - 30 * HOUR),
);

/** The random life of a key: up to three deletions, each undone within seven days, and perhaps a final deletion. */
const anyPast: fc.Arbitrary<Past> = fc
  .record({
    created: birth,
    undone: fc.array(fc.record({ after: pause, pending }), { maxLength: 3 }),
    end: fc.option(pause),
  })
  .map(({ created, undone, end }) => {
    let now = created;
    const deletions: { requested: number; restored: number | null }[] = undone.map((deletion) => {
      const requested = now + deletion.after;
      now = requested + deletion.pending;
      return { requested, restored: now };
    });
    if (end !== null) deletions.push({ requested: now + end, restored: null });
    return { created, deletions };
  });

const instant = (ms: number) => makeInstant(ms * 1000);

/** Returns the life that the key’s record stores. The record drops the deletions that no bill depends on. */
function recordedLifeOf({ created, deletions }: Past): Life {
  let key = aKey({ created_at: instant(created) });
  for (const { requested, restored } of deletions) {
    key = asPending(key, instant(requested), instant(requested + 7 * 24 * HOUR));
    if (restored !== null) key = asRestored(key, instant(restored));
  }
  return key;
}

function lifeOf({ created, deletions }: Past): Life {
  return {
    created_at: instant(created),
    deletions: deletions.map(({ requested, restored }) => ({
      requested_at: instant(requested),
      restored_at: restored === null ? null : instant(restored),
    })),
  };
}

/** Whether an amount in the units of the month’s charges is exactly this number of cents. */
function isExactly(units: bigint, [numerator, denominator]: Fraction, text: string): boolean {
  return units * denominator === numerator * unitsPerCent(month(text));
}

test('the charge of any key in any month equals a day-by-day calculation, also with the deletions that its record has dropped', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('wrapped', 'software', 'hsm'),
      anyPast,
      fc.nat(400_000),
      fc.constantFrom(...MONTHS),
      (tier, past, ops, text) => {
        const charge = chargeKey(tier, recordedLifeOf(past), ops, month(text));
        expect(chargeKey(tier, lifeOf(past), ops, month(text))).toEqual(charge);
        const bill = billByHand(tier, past, ops, text);
        expect(charge).toMatchObject({ allowance: bill.allowance, overageOps: bill.overageOps });
        expect(isExactly(charge.fee, bill.fee, text)).toBe(true);
        expect(isExactly(charge.overage, bill.overage, text)).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('events after the end of a month do not change that month’s charge', () => {
  fc.assert(
    fc.property(anyPast, fc.constantFrom(...MONTHS), (past, text) => {
      const end = endOf(text);
      const deletions = past.deletions
        .filter(({ requested }) => requested < end)
        .map(({ requested, restored }) => ({ requested, restored: (restored ?? end) < end ? restored : null }));
      const asItLookedThen = chargeKey('hsm', lifeOf({ ...past, deletions }), 300_000, month(text));
      expect(chargeKey('hsm', lifeOf(past), 300_000, month(text))).toEqual(asItLookedThen);
    }),
    { numRuns: 2_000 },
  );
});

function endOf(text: string): number {
  const [year, number] = text.split('-').map(Number);
  return Date.UTC(year ?? 0, number ?? 0);
}

const unit = unitsPerCent(month('2026-11'));

test.each([
  [300n * unit, '300'],
  [unit / 1000n, '0.001'],
  [0n, '0'],
  [unit + unit / 10n, '1.1'],
  [unit / 3n, '0.33333'],
  [(2n * unit) / 3n, '0.66667'],
  [100n * unit - 1n, '99.99997'],
  [123_456_789_012n * unit + unit / 2n, '123456789012.5'],
])('in a 30-day month, where a cent is 30,000 units, %s units are shown as %s cents', (units, shown) => {
  expect(viewCents(units, month('2026-11'))).toBe(shown);
});

test.each([
  [unit / 2n - 1n, 0],
  [unit / 2n, 1],
  [unit + unit / 2n - 1n, 1],
  [unit + unit / 2n, 2],
])('in a 30-day month, where a cent is 30,000 units, %s units are rounded half up to %i cents', (units, whole) => {
  expect(wholeCents(units, month('2026-11'))).toBe(whole);
});
