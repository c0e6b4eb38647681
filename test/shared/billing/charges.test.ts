import { describe, expect, test } from 'vitest';
import { chargeKey, viewCents } from '../../../shared/billing/charges.ts';
import type { Life } from '../../../shared/metering/allowance.ts';
import type { Tier } from '../../../shared/tiers.ts';
import { life, month } from './a-life.ts';

/** A key’s charge for a month, as the statement shows it. */
function charge(tier: Tier, of: Life, ops: number, text: string) {
  const { days, fee, allowance, overageOps, overage } = chargeKey(tier, of, ops, month(text));
  const cents = { fee: viewCents(fee, month(text)), overage: viewCents(overage, month(text)) };
  return { days, ...cents, allowance, overageOps };
}

function feeOf(tier: Tier, of: Life, text: string): string {
  return charge(tier, of, 0, text).fee;
}

const ALL_MONTH = life('2026-01-15');
const LAST_TEN_OF_NOVEMBER = life('2026-11-21');

describe('a key that exists all month', () => {
  test.each([
    ['wrapped', 50_000, '300', '0.001', 50_000],
    ['software', 100_000, '1000', '0.002', 100_000],
    ['hsm', 250_000, '3500', '0.005', 250_000],
  ] as const)(
    'a %s key that exists all month pays the whole fee, and overage for each operation past %i',
    (tier, cap, fee, onePast, allowance) => {
      for (const [text, days] of [
        ['2026-09', null],
        ['2026-10', 31],
        ['2026-11', 30],
        ['2027-02', 28],
        ['2028-02', 29],
      ] as const) {
        const common = { days, fee, allowance };
        expect(charge(tier, ALL_MONTH, cap, text)).toEqual({ ...common, overageOps: 0, overage: '0' });
        expect(charge(tier, ALL_MONTH, cap + 1, text)).toEqual({ ...common, overageOps: 1, overage: onePast });
      }
    },
  );

  test.each([
    ['wrapped', 1_050_000, '1000'],
    ['software', 1_100_000, '2000'],
    ['hsm', 1_250_000, '5000'],
  ] as const)('a %s key with %i operations in a month pays %s cents of overage', (tier, ops, overage) => {
    expect(charge(tier, ALL_MONTH, ops, '2026-11').overage).toBe(overage);
  });
});

describe('a key that exists for 10 days of a 30-day month', () => {
  test.each([
    ['wrapped', '100', 16_666],
    ['software', '333.33333', 33_333],
    ['hsm', '1166.66667', 83_333],
  ] as const)(
    'a %s key that exists for 10 of 30 days has a third of the fee and of the allowance, rounded down',
    (tier, fee, allowance) => {
      const untilTheTenth = life('2026-01-15', ['2026-11-10']);
      for (const lived of [LAST_TEN_OF_NOVEMBER, untilTheTenth]) {
        const expected = { days: 10, fee, allowance, overageOps: 0, overage: '0' };
        expect(charge(tier, lived, allowance, '2026-11')).toEqual(expected);
        expect(charge(tier, lived, allowance + 1, '2026-11')).toMatchObject({ fee, allowance, overageOps: 1 });
      }
    },
  );
});

test.each([
  ['2026-10', '96.77419'],
  ['2026-11', '100'],
  ['2027-02', '107.14286'],
  ['2028-02', '103.44828'],
])('a wrapped key that exists for 10 days of %s costs %s cents', (text, fee) => {
  expect(feeOf('wrapped', life(`${text}-03`, [`${text}-12`]), text)).toBe(fee);
});

describe('charges per day from October 2026', () => {
  test.each([
    [
      'created and deleted on one day: the fee for one day',
      life('2026-11-10T00:00:00Z', ['2026-11-10T23:59:59.999999Z']),
      '10',
    ],
    [
      'deleted a minute past midnight: the fee for two days',
      life('2026-11-10T23:59:00Z', ['2026-11-11T00:01:00Z']),
      '20',
    ],
    ['created on the last day: the fee for one day', life('2026-11-30T23:59:59.999999Z'), '10'],
    ['deleted within 24 hours: the fee for two days', life('2026-11-10', ['2026-11-11T11:00:00Z']), '20'],
    [
      'restored in the same month: the fee for the whole month',
      life('2026-01-15', ['2026-11-10', '2026-11-17T11:00:00Z']),
      '300',
    ],
    [
      'deleted last month and restored this month: the fee for the whole month',
      life('2026-01-15', ['2026-10-29', '2026-11-02']),
      '300',
    ],
    [
      'pending deletion at the end of the month: the fee until the day of the request',
      life('2026-01-15', ['2026-11-28']),
      '280',
    ],
    [
      'pending deletion at the end of the month and restored in December: the fee until the day of the request',
      life('2026-01-15', ['2026-11-28', '2026-12-02']),
      '280',
    ],
    ['deletion requested in October: no fee', life('2026-01-15', ['2026-10-29']), '0'],
    ['not yet created: no fee', life('2026-12-01T00:00:00Z'), '0'],
    [
      'deleted again after a restoration: the fee until the day of the last request',
      life('2026-01-15', ['2026-11-03', '2026-11-04'], ['2026-11-20']),
      '200',
    ],
  ])('a key is charged by the day in November 2026 (%s)', (_, of, fee) => {
    expect(feeOf('wrapped', of, '2026-11')).toBe(fee);
  });

  test('after a restore, the days on which the key was pending deletion are charged, but only those in the month of the restore', () => {
    const restored = life('2026-01-15', ['2026-10-29', '2026-11-02']);
    const costs = ['2026-10', '2026-11', '2026-12'].map((text) => charge('software', restored, 0, text));
    expect(costs).toMatchObject([
      { days: 29, fee: '935.48387', allowance: 93_548 },
      { days: 30, fee: '1000', allowance: 100_000 },
      { days: 31, fee: '1000', allowance: 100_000 },
    ]);
  });

  test('a key that exists for part of a month pays overage for operations past its share of the allowance', () => {
    const cost = charge('software', LAST_TEN_OF_NOVEMBER, 40_000, '2026-11');
    expect(cost).toEqual({ days: 10, fee: '333.33333', allowance: 33_333, overageOps: 6_667, overage: '13.334' });
  });
});

describe('charges per month before October 2026', () => {
  const WHOLE = '300';
  test.each([
    ['created on the 1st: the whole fee', life('2026-09-01T00:00:00Z'), WHOLE],
    ['created on the second-to-last day: the whole fee', life('2026-09-29T23:59:59.999999Z'), WHOLE],
    ['created in the first instant of the last day: no fee', life('2026-09-30T00:00:00Z'), '0'],
    ['created in the last instant of the last day: no fee', life('2026-09-30T23:59:59.999999Z'), '0'],
    ['created on the last day of August: the whole fee', life('2026-08-31'), WHOLE],
    ['deletion requested on the 1st: the whole fee', life('2026-01-15', ['2026-09-01T00:00:00Z']), WHOLE],
    ['deletion requested in August, key destroyed in September: no fee', life('2026-01-15', ['2026-08-31']), '0'],
    [
      'deletion requested in August, key restored in September: the whole fee',
      life('2026-01-15', ['2026-08-28', '2026-09-02']),
      WHOLE,
    ],
    ['deleted 24 hours after its creation: no fee', life('2026-09-10', ['2026-09-11T12:00:00.000000Z']), '0'],
    ['deleted a microsecond after 24 hours: the whole fee', life('2026-09-10', ['2026-09-11T12:00:00.000001Z']), WHOLE],
    [
      'deleted within 24 hours and restored: the whole fee',
      life('2026-09-10', ['2026-09-10T13:00:00Z', '2026-09-12']),
      WHOLE,
    ],
    [
      'deleted, restored and deleted again within 24 hours: no fee',
      life('2026-09-10', ['2026-09-10T13:00:00Z', '2026-09-10T14:00:00Z'], ['2026-09-10T15:00:00Z']),
      '0',
    ],
    [
      'deleted within 24 hours, restored and deleted again later: the whole fee',
      life('2026-09-10', ['2026-09-10T13:00:00Z', '2026-09-10T14:00:00Z'], ['2026-09-12']),
      WHOLE,
    ],
    [
      'deleted within 24 hours and restored after the month ended: no fee',
      life('2026-09-29', ['2026-09-29T13:00:00Z', '2026-10-01']),
      '0',
    ],
    [
      'created on the last day of August and deleted in September within 24 hours: no fee',
      life('2026-08-31T20:00:00Z', ['2026-09-01T19:00:00Z']),
      '0',
    ],
    [
      'created on the last day of August and deleted in September after 24 hours: the whole fee',
      life('2026-08-31T20:00:00Z', ['2026-09-01T21:00:00Z']),
      WHOLE,
    ],
  ])('a key is charged by the month in September 2026 (%s)', (_, of, fee) => {
    expect(charge('wrapped', of, 0, '2026-09')).toMatchObject({ days: null, fee, allowance: 50_000 });
  });

  test('before October 2026 every key has the full monthly allowance, even a key that owes nothing', () => {
    const lastDay = life('2026-09-30');
    expect(charge('hsm', lastDay, 250_000, '2026-09')).toMatchObject({ fee: '0', allowance: 250_000, overage: '0' });
  });
});

describe('the change of pricing in October 2026', () => {
  test.each([
    ['a key that exists in both months', ALL_MONTH, '1000', '1000'],
    ['a key created on 21 September', life('2026-09-21'), '1000', '1000'],
    ['a key deleted on 10 October', life('2026-01-15', ['2026-10-10']), '1000', '322.58065'],
    ['a key created on 30 September', life('2026-09-30'), '0', '1000'],
    [
      'a key created on 30 September and deleted within 24 hours',
      life('2026-09-30T20:00:00Z', ['2026-10-01T10:00:00Z']),
      '0',
      '32.25806',
    ],
    ['a key created on 31 October', life('2026-10-31'), '0', '32.25806'],
  ])('September is charged per month and October per day: %s', (_, of, september, october) => {
    expect([feeOf('software', of, '2026-09'), feeOf('software', of, '2026-10')]).toEqual([september, october]);
  });
});
