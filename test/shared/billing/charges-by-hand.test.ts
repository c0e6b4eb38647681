import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeInstant } from '../../../shared/base/clock.ts';
import { chargeKey, unitsPerCent } from '../../../shared/billing/charges.ts';
import { asPending, asRestored } from '../../../shared/lifecycle/delete-key.ts';
import type { Life } from '../../../shared/metering/allowance.ts';
import { aKey } from '../keys/a-key.ts';
import { month } from './a-life.ts';
import { billByHand, type Fraction, type Past } from './billing-model.ts';

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

test('the fee, allowance and overage of any key in any month equal those of a day-by-day calculation', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('wrapped', 'software', 'hsm'),
      anyPast,
      fc.nat(400_000),
      fc.constantFrom(...MONTHS),
      (tier, past, ops, text) => {
        const charge = chargeKey(tier, recordedLifeOf(past), ops, month(text));
        const bill = billByHand(tier, past, ops, text);
        expect(charge).toMatchObject({ allowance: bill.allowance, overageOps: bill.overageOps });
        expect(isExactly(charge.fee, bill.fee, text)).toBe(true);
        expect(isExactly(charge.overage, bill.overage, text)).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('a deletion that was dropped from a key’s record changes no month’s charge', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('wrapped', 'software', 'hsm'),
      anyPast,
      fc.nat(400_000),
      fc.constantFrom(...MONTHS),
      (tier, past, ops, text) => {
        const [whole, recorded] = [lifeOf(past), recordedLifeOf(past)];
        expect(chargeKey(tier, recorded, ops, month(text))).toEqual(chargeKey(tier, whole, ops, month(text)));
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
