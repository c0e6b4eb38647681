import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeInstant, viewInstant } from '../../../shared/base/clock.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';

const show = (text: string) => {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : viewInstant(instant);
};

describe('RFC 3339 date-times', () => {
  test.each([
    ['in UTC', '2026-10-31T23:59:59Z', '2026-10-31T23:59:59.000000Z'],
    ['in lower case', '2026-10-31t23:59:59z', '2026-10-31T23:59:59.000000Z'],
    ['with an offset ahead', '2026-11-01T01:30:00+01:30', '2026-11-01T00:00:00.000000Z'],
    ['with an offset behind', '2026-10-31T16:00:00-08:00', '2026-11-01T00:00:00.000000Z'],
    ['with the largest offset', '2026-11-01T23:59:00+23:59', '2026-11-01T00:00:00.000000Z'],
    [
      'with the offset -00:00, which means that the local offset is unknown',
      '2026-10-31T16:00:00-00:00',
      '2026-10-31T16:00:00.000000Z',
    ],
    ['with one digit of fraction', '2026-10-31T00:00:00.5Z', '2026-10-31T00:00:00.500000Z'],
    ['with a leap second at the end of a month in UTC', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
    ['with a leap second in another time zone', '1990-12-31T15:59:60.5-08:00', '1991-01-01T00:00:00.500000Z'],
    ['with milliseconds', '2026-10-31T00:00:00.001Z', '2026-10-31T00:00:00.001000Z'],
    ['with microseconds', '2026-10-31T23:59:59.999999Z', '2026-10-31T23:59:59.999999Z'],
    ['on a leap day', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000000Z'],
    ['on the leap day of the year 2000', '2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000Z'],
    ['before the epoch', '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ])('a date-time %s is parsed as the instant that it names', (_, text, instant) => {
    expect(show(text)).toBe(instant);
  });

  test.each([
    ['nanoseconds', '2026-10-31T00:00:00.000000001Z', '2026-10-31T00:00:00.000001Z'],
    [
      'nanoseconds that are zero, where nothing is rounded',
      '2026-10-31T00:00:00.000001000Z',
      '2026-10-31T00:00:00.000001Z',
    ],
    ['the last nanosecond of a year', '2026-12-31T23:59:59.999999999Z', '2027-01-01T00:00:00.000000Z'],
  ])(
    'a fraction finer than a microsecond is rounded up, so that comparisons with stored times stay exact: %s',
    (...row) => {
      expect(show(row[1])).toBe(row[2]);
    },
  );

  test.each([
    ['an empty text', ''],
    ['a date without a time', '2026-10-31'],
    ['no offset', '2026-10-31T00:00:00'],
    ['no seconds', '2026-10-31T00:00Z'],
    ['a space instead of the T', '2026-10-31 00:00:00Z'],
    ['a space instead of the plus sign, as in a decoded form', '2026-10-31T00:00:00 02:00'],
    ['month 0', '2026-00-01T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['day 0', '2026-10-00T00:00:00Z'],
    ['day 32', '2026-10-32T00:00:00Z'],
    ['31 September', '2026-09-31T00:00:00Z'],
    ['29 February 2026, which is not a leap year', '2026-02-29T00:00:00Z'],
    ['29 February 2100, which is not a leap year', '2100-02-29T00:00:00Z'],
    ['hour 24', '2026-10-31T24:00:00Z'],
    ['minute 60', '2026-10-31T00:60:00Z'],
    ['a leap second within a month', '2026-10-30T23:59:60Z'],
    ['a leap second within a day', '2026-12-31T23:58:60Z'],
    ['a leap second at the end of a month in another time zone but not in UTC', '2026-12-31T23:59:60+01:00'],
    ['second 61', '2026-10-31T00:00:61Z'],
    ['an offset of 24 hours', '2026-10-31T00:00:00+24:00'],
    ['an offset of 60 minutes', '2026-10-31T00:00:00+00:60'],
    ['an offset without a colon', '2026-10-31T00:00:00+0200'],
    ['an offset of only hours', '2026-10-31T00:00:00+02'],
    ['an empty fraction', '2026-10-31T00:00:00.Z'],
    ['a comma instead of the point', '2026-10-31T00:00:00,5Z'],
    ['a two-digit year', '26-10-31T00:00:00Z'],
    ['a five-digit year', '12026-10-31T00:00:00Z'],
    ['an expanded year', '+002026-10-31T00:00:00Z'],
    ['a line feed at the end', '2026-10-31T00:00:00Z\n'],
    ['white space before the date-time', ' 2026-10-31T00:00:00Z'],
    ['a number', '1793491199'],
  ])('an invalid date-time is refused: %s', (_, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test.each([
    ['the last second of the last year', '9999-12-31T23:59:59Z'],
    ['the first instant of the first year', '0001-01-01T00:00:00Z'],
    ['the year 2300', '2300-01-01T00:00:00Z'],
  ])('a date-time in the distant past or future is accepted, and lies before or after every event: %s', (_, text) => {
    const instant = parseInstant(text) ?? Number.NaN;
    const now = makeInstant(1_793_491_199_999_999);
    expect(instant > now).toBe(text > '2026');
    expect(instant < now).toBe(text < '2026');
  });

  test('an instant that the service shows is parsed as the same instant', () => {
    const limit = 9_000_000_000_000_000;
    fc.assert(
      fc.property(fc.integer({ min: -limit, max: limit }), (us) => {
        const instant = makeInstant(us);
        expect(parseInstant(viewInstant(instant))).toBe(instant);
      }),
    );
  });
});
