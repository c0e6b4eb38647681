import { describe, expect, test } from 'vitest';
import { makeInstant, viewInstant } from '../../../shared/base/clock.ts';
import { monthName, monthOf, monthSchema, monthStart, nextMonthStart, parseMonth } from '../../../shared/base/month.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';

describe('the month of an instant', () => {
  test.each([
    ['2026-10-31T23:59:59.999999Z', '2026-10'],
    ['2026-11-01T00:00:00.000000Z', '2026-11'],
    ['2026-12-31T23:59:59.999999Z', '2026-12'],
    ['2027-01-01T00:00:00.000000Z', '2027-01'],
    ['2028-02-29T23:59:59.999999Z', '2028-02'],
    ['2028-03-01T00:00:00.000000Z', '2028-03'],
    ['2027-02-28T23:59:59.999999Z', '2027-02'],
    ['1970-01-01T00:00:00.000000Z', '1970-01'],
    ['1969-12-31T23:59:59.999999Z', '1969-12'],
  ])('%s is in the month %s', (text, month) => {
    const instant = parseInstant(text);
    expect(instant !== undefined && monthOf(instant)).toBe(month);
  });

  test('months are in UTC, so a month does not start at local midnight', () => {
    const instant = parseInstant('2026-11-01T01:00:00+02:00');
    expect(instant !== undefined && monthOf(instant)).toBe('2026-10');
  });
});

describe('the start of a month', () => {
  const startOf = (text: string) => {
    const month = parseMonth(text);
    return month && viewInstant(monthStart(month));
  };

  test.each([
    ['2026-10', '2026-10-01T00:00:00.000000Z'],
    ['2028-02', '2028-02-01T00:00:00.000000Z'],
    ['1970-01', '1970-01-01T00:00:00.000000Z'],
  ])('the month %s starts at %s', (text, start) => {
    expect(startOf(text)).toBe(start);
  });

  test.each([
    ['1969-12', '1970-01-01T00:00:00.000000Z'],
    ['0000-01', '1970-01-01T00:00:00.000000Z'],
    ['9999-12', '2255-06-05T23:47:34.740991Z'],
  ])('a query that starts at %s, which Firestore cannot represent, starts at %s instead', (text, nearest) => {
    expect(startOf(text)).toBe(nearest);
  });
});

describe('the start of the next month', () => {
  test.each([
    ['2026-10', '2026-11-01T00:00:00.000000Z'],
    ['2026-11', '2026-12-01T00:00:00.000000Z'],
    ['2026-12', '2027-01-01T00:00:00.000000Z'],
    ['2028-01', '2028-02-01T00:00:00.000000Z'],
    ['2028-02', '2028-03-01T00:00:00.000000Z'],
    ['2027-02', '2027-03-01T00:00:00.000000Z'],
    ['1969-12', '1970-01-01T00:00:00.000000Z'],
  ])('the month after %s starts at %s', (text, start) => {
    const month = parseMonth(text);
    expect(month && viewInstant(nextMonthStart(month))).toBe(start);
  });

  test('the next month starts at the first instant that is not in the month', () => {
    for (let year = 1970; year < 2200; year++) {
      for (let index = 1; index <= 12; index++) {
        const month = parseMonth(`${year}-${String(index).padStart(2, '0')}`);
        if (month === undefined) throw new Error('not a month');
        const start = nextMonthStart(month);
        expect(monthOf(makeInstant(start - 1))).toBe(month);
        expect(monthOf(start) > month).toBe(true);
      }
    }
  });
});

describe('a month', () => {
  test.each(['2026-01', '2026-09', '2026-10', '2026-12', '1999-12', '9999-12'])('%s is a month', (text) => {
    expect(parseMonth(text)).toBe(text);
    expect(monthSchema.safeParse(text).success).toBe(true);
  });

  test.each([
    '',
    '2026',
    '2026-',
    '2026-0',
    '2026-1',
    '2026-00',
    '2026-13',
    '2026-10-01',
    '26-10',
    '02026-10',
    '2026/10',
    '202610',
    '2026-1a',
    ' 2026-10',
    '2026-10 ',
    '2026-10\n',
    '-2026-10',
    '２０２６-10',
    'October 2026',
  ])('"%s" is not a month', (text) => {
    expect(parseMonth(text)).toBeUndefined();
    expect(monthSchema.safeParse(text).success).toBe(false);
  });
});

test.each([
  ['2026-01', 'January 2026'],
  ['2026-10', 'October 2026'],
  ['2027-02', 'February 2027'],
])('the month %s is shown to people as %s', (text, name) => {
  const month = parseMonth(text);
  expect(month && monthName(month)).toBe(name);
});
