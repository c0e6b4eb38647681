import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeMovableClock } from '../../../functions/local/movable-clock.ts';
import {
  byAge,
  DAY_US,
  makeClock,
  makeInstant,
  SECOND_US,
  startStopwatch,
  viewInstant,
} from '../../../shared/base/clock.ts';
import { monthName, monthOf, monthSchema, monthStart, nextMonthStart, parseMonth } from '../../../shared/base/month.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';

test.each([
  [0, '1970-01-01T00:00:00.000000Z'],
  [1, '1970-01-01T00:00:00.000001Z'],
  [-1, '1969-12-31T23:59:59.999999Z'],
  [-1001, '1969-12-31T23:59:59.998999Z'],
  [1_793_491_199_999_999, '2026-10-31T23:59:59.999999Z'],
  [1_793_491_200_000_000, '2026-11-01T00:00:00.000000Z'],
  [1_709_164_800_000_001, '2024-02-29T00:00:00.000001Z'],
  [Number.MAX_SAFE_INTEGER, '2255-06-05T23:47:34.740991Z'],
])('%i microseconds after the epoch is %s', (us, text) => {
  expect(viewInstant(makeInstant(us))).toBe(text);
});

test('an instant is shown to the microsecond without rounding', () => {
  const limit = 9_000_000_000_000_000;
  fc.assert(
    fc.property(fc.integer({ min: -limit, max: limit }), (us) => {
      const text = viewInstant(makeInstant(us));
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const seconds = BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n;
      expect(seconds + BigInt(text.slice(20, 26))).toBe(BigInt(us));
    }),
  );
});

test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%d is not an instant', (us) => {
  expect(() => makeInstant(us)).toThrow(RangeError);
});

describe('the clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('every reading of the clock is later than the reading before', () => {
    const clock = makeClock();
    let last = clock.now();
    for (let call = 0; call < 20_000; call++) {
      const now = clock.now();
      expect(now).toBeGreaterThan(last);
      last = now;
    }
  });

  test('a movable clock can be moved forward, and its readings still increase', () => {
    const clock = makeMovableClock(makeClock());
    const before = clock.now();
    clock.move(40 * DAY_US);
    const moved = clock.now();
    expect(moved).toBeGreaterThanOrEqual(before + 40 * DAY_US);
    expect(clock.now()).toBeGreaterThan(moved);
  });

  test.each([
    ['a month', 30 * DAY_US],
    ['a minute', 60 * SECOND_US],
    ['half a second', SECOND_US / 2],
  ])('a movable clock can be moved back by %s', (_, step) => {
    const clock = makeMovableClock(makeClock());
    clock.move(31 * DAY_US);
    const before = clock.now();
    clock.move(31 * DAY_US - step);
    expect(clock.now()).toBeLessThan(before);
  });

  test.each([
    ['ahead by a day', DAY_US],
    ['ahead by three seconds', 3 * SECOND_US],
    ['back by a day', -DAY_US],
    ['back by three seconds', -3 * SECOND_US],
  ])('the clock shows the new time if the machine’s clock is set %s while the process runs', (_, step) => {
    const start = Date.parse('2026-10-31T12:00:00Z');
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const clock = makeClock();
    clock.now();
    vi.setSystemTime(start + step / 1000);
    expect(Math.abs(clock.now() - (start * 1000 + step))).toBeLessThan(SECOND_US);
  });
});

const at = (micros: number, id: string) => ({ created_at: makeInstant(micros), id });

test('in a list, the oldest item comes first, whatever the ids', () => {
  const [first, second, third] = [at(-1, 'c'), at(1_793_491_199_999_999, 'b'), at(1_793_491_200_000_000, 'a')];
  expect([third, first, second].sort(byAge)).toEqual([first, second, third]);
});

test('in a list, items that were created in the same microsecond are ordered by id', () => {
  const [first, second, third] = [at(5, '0a'), at(5, '0b'), at(5, 'f0')];
  expect([third, second, first].sort(byAge)).toEqual([first, second, third]);
  expect([first, second, third].sort(byAge)).toEqual([first, second, third]);
});

test.each([
  ['2026-10-31T23:59:59.999999Z', '2026-10'],
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

const startOf = (text: string) => {
  const month = parseMonth(text);
  return month && viewInstant(monthStart(month));
};

test.each([['2026-10', '2026-10-01T00:00:00.000000Z']])('the month %s starts at %s', (text, start) => {
  expect(startOf(text)).toBe(start);
});

test.each([
  ['1969-12', '1970-01-01T00:00:00.000000Z'],
  ['0000-01', '1970-01-01T00:00:00.000000Z'],
  ['9999-12', '2255-06-05T23:47:34.740991Z'],
])('a query that starts at %s, which Firestore cannot represent, starts at %s instead', (text, nearest) => {
  expect(startOf(text)).toBe(nearest);
});

test('the next month starts at the first instant that is not in the month', () => {
  for (let year = 1970; year < 2200; year++) {
    for (let index = 1; index <= 12; index++) {
      const month = parseMonth(`${year}-${String(index).padStart(2, '0')}`);
      if (month === undefined) throw new Error('not a month');
      const start = nextMonthStart(month);
      expect(monthOf(makeInstant(start - 1))).toBe(month);
      expect(monthOf(start) > month).toBe(true);
      expect(viewInstant(start)).toMatch(/^\d{4}-\d\d-01T00:00:00\.000000Z$/);
    }
  }
});

test.each(['2026-01', '2026-09', '2026-10', '2026-12', '1999-12', '9999-12'])('%s is a month', (text) => {
  expect(parseMonth(text)).toBe(text);
  expect(monthSchema.safeParse(text).success).toBe(true);
});

test.each([
  ...['', '2026', '2026-', '2026-0', '2026-1', '2026-00', '2026-13', '2026-10-01', '26-10', '02026-10', '2026/10'],
  ...['202610', '2026-1a', ' 2026-10', '2026-10 ', '2026-10\n', '-2026-10', '２０２６-10', 'October 2026'],
])('"%s" is not a month', (text) => {
  expect(parseMonth(text)).toBeUndefined();
  expect(monthSchema.safeParse(text).success).toBe(false);
});

test.each([
  ['2026-01', 'January 2026'],
  ['2026-10', 'October 2026'],
  ['2027-02', 'February 2027'],
])('the month %s is shown to people as %s', (text, name) => {
  const month = parseMonth(text);
  expect(month && monthName(month)).toBe(name);
});

const show = (text: string) => {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : viewInstant(instant);
};

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
  ...['', '2026-10-31', '2026-10-31T00:00:00', '2026-10-31T00:00Z', '2026-10-31 00:00:00Z'],
  ...['2026-10-31T00:00:00 02:00', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-10-00T00:00:00Z'],
  ...['2026-10-32T00:00:00Z', '2026-09-31T00:00:00Z', '2026-02-29T00:00:00Z', '2100-02-29T00:00:00Z'],
  ...['2026-10-31T24:00:00Z', '2026-10-31T00:60:00Z', '2026-10-30T23:59:60Z', '2026-12-31T23:58:60Z'],
  ...['2026-12-31T23:59:60+01:00', '2026-10-31T00:00:61Z', '2026-10-31T00:00:00+24:00'],
  ...['2026-10-31T00:00:00+00:60', '2026-10-31T00:00:00+0200', '2026-10-31T00:00:00+02'],
  ...['2026-10-31T00:00:00.Z', '2026-10-31T00:00:00,5Z', '26-10-31T00:00:00Z', '12026-10-31T00:00:00Z'],
  ...['+002026-10-31T00:00:00Z', '2026-10-31T00:00:00Z\n', ' 2026-10-31T00:00:00Z', '1793491199'],
])('an invalid date-time is refused: %j', (text) => {
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

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  [400, 30, 400],
  [30, 400, 400],
  [-1, 30, Number.POSITIVE_INFINITY],
])('after %d ms of wall time and %d ms of monotonic time, a stopwatch says %d ms', (wallMs, monotonicMs, expected) => {
  const [wall, monotonic] = [Date.now(), performance.now()];
  vi.spyOn(Date, 'now').mockReturnValue(wall);
  vi.spyOn(performance, 'now').mockReturnValue(monotonic);
  const elapsed = startStopwatch();
  vi.spyOn(Date, 'now').mockReturnValue(wall + wallMs);
  vi.spyOn(performance, 'now').mockReturnValue(monotonic + monotonicMs);
  expect(elapsed()).toBeCloseTo(expected, 3);
});
