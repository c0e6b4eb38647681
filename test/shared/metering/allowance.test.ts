import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { type Month, monthOf } from '../../../shared/base/month.ts';
import { allowance, daysExisting, daysInMonth, isByTheDay, type Life } from '../../../shared/metering/allowance.ts';
import { at, life, month } from '../billing/a-life.ts';

test.each([
  ['2026-10', 31],
  ['2026-11', 30],
  ['2026-12', 31],
  ['2027-02', 28],
  ['2028-02', 29],
  ['2000-02', 29],
  ['2100-02', 28],
])('the month %s has %i days', (text, days) => {
  expect(daysInMonth(month(text))).toBe(days);
});

test.each([
  ['2026-09', 'per key and month'],
  ['2026-10', 'by the day'],
  ['2027-01', 'by the day'],
])('the month %s is billed %s', (text, how) => {
  expect(isByTheDay(month(text))).toBe(how === 'by the day');
});

test.each([
  ['one day if it was created in the last microsecond', life('2026-11-30T23:59:59.999999Z'), '2026-11', 1],
  ['all days if it was created in the first instant', life('2026-11-01T00:00:00Z'), '2026-11', 30],
  ['one day if it was deleted in the first instant', life('2026-09-15', ['2026-11-01T00:00:00Z']), '2026-11', 1],
  [
    'up to a deletion that was undone in the next month',
    life('2026-09-15', ['2026-10-29', '2026-11-02']),
    '2026-10',
    29,
  ],
  ['all days of the month of its restoration', life('2026-09-15', ['2026-10-29', '2026-11-02']), '2026-11', 30],
])('a key exists on these days of a month: %s', (_, of, text, days) => {
  expect(daysExisting(of, month(text))).toBe(days);
});

test('the number of days on which a key exists equals a day-by-day count', () => {
  const start = at('2026-08-20T00:00:00Z');
  const anyTimes = fc.array(fc.integer({ min: 0, max: 190 * DAY_US }), { minLength: 1, maxLength: 6 });
  const anyLife = anyTimes.map((times) => {
    const [created = start, ...later] = times.sort((a, b) => a - b).map((time) => makeInstant(start + time));
    const deletions = later.flatMap((requested_at, index) =>
      index % 2 === 0 ? { requested_at, restored_at: later[index + 1] ?? null } : [],
    );
    return { created_at: created, deletions };
  });
  fc.assert(
    fc.property(anyLife, fc.constantFrom('2026-09', '2026-10', '2026-11', '2026-12', '2027-02'), (of, text) => {
      expect(daysExisting(of, month(text))).toBe(countDays(of, month(text)));
    }),
  );
});

/**
 * Returns the number of days, counted one by one. A day counts if the key was created before the day’s end, and no
 * deletion was requested before the day’s start. Deletions that were undone by the end of the month are ignored.
 */
function countDays({ created_at, deletions }: Life, of: Month): number {
  let count = 0;
  for (let start = at(`${of}-01T00:00:00Z`); monthOf(start) === of; start = makeInstant(start + DAY_US)) {
    const made = created_at < start + DAY_US;
    const gone = deletions.some(({ requested_at, restored_at }) => {
      const undone = restored_at !== null && monthOf(restored_at) <= of;
      return requested_at < start && !undone;
    });
    if (made && !gone) count++;
  }
  return count;
}

test('the allowance of a free key is 10,000, however many days the key exists', () => {
  for (const lived of [life('2026-11-30'), life('2026-12-01'), life('2026-09-01', ['2026-10-01'])]) {
    expect(allowance('free', lived, month('2026-11'))).toBe(10_000);
  }
});

test('the allowance of a paid key before October 2026 is the full cap, however many days the key exists', () => {
  for (const lived of [life('2026-09-30'), life('2026-10-01'), life('2026-08-01', ['2026-09-01'])]) {
    expect(allowance('software', lived, month('2026-09'))).toBe(100_000);
  }
});
