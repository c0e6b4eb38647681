import { describe, expect, test } from 'vitest';
import { unitsPerCent, viewCents, wholeCents } from '../../../shared/billing/charges.ts';
import { month } from './a-life.ts';

describe('cents', () => {
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

  test('cents are shown with at most five decimal places, rounded to the nearest', () => {
    const shown = [10n, 11n, 12n, 13n, 14n, 15n].map((days) => viewCents(300_000n * days, month('2026-10')));
    // The exact values are 96.774193…, 106.451612…, 116.129032…, 125.806451…, 135.483870…, 145.161290…
    expect(shown).toEqual(['96.77419', '106.45161', '116.12903', '125.80645', '135.48387', '145.16129']);
    // The exact values are 193.548387… and 483.870967…
    expect([20n, 50n].map((days) => viewCents(300_000n * days, month('2026-10')))).toEqual(['193.54839', '483.87097']);
  });

  test.each([
    [unit / 2n - 1n, 0],
    [unit / 2n, 1],
    [unit + unit / 2n - 1n, 1],
    [unit + unit / 2n, 2],
  ])('in a 30-day month, where a cent is 30,000 units, %s units are rounded half up to %i cents', (units, whole) => {
    expect(wholeCents(units, month('2026-11'))).toBe(whole);
  });
});
