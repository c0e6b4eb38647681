import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeMovableClock } from '../../../functions/local/movable-clock.ts';
import {
  byAge,
  DAY_US,
  HOUR_US,
  makeClock,
  makeInstant,
  SECOND_US,
  viewInstant,
  viewOptionalInstant,
} from '../../../shared/base/clock.ts';

describe('instants', () => {
  test.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [999, '1970-01-01T00:00:00.000999Z'],
    [1000, '1970-01-01T00:00:00.001000Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [-999, '1969-12-31T23:59:59.999001Z'],
    [-1000, '1969-12-31T23:59:59.999000Z'],
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

  test('an unset instant is shown as null', () => {
    expect(viewOptionalInstant(null)).toBeNull();
    expect(viewOptionalInstant(makeInstant(1))).toBe('1970-01-01T00:00:00.000001Z');
  });

  test('a second, an hour and a day have the right number of microseconds', () => {
    expect([SECOND_US, HOUR_US, DAY_US]).toEqual([1_000_000, 3_600_000_000, 86_400_000_000]);
  });
});

describe('the clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('the clock shows the machine’s time', () => {
    const before = Date.now() * 1000;
    const now = makeClock().now();
    expect(Math.abs(now - before)).toBeLessThan(5 * SECOND_US);
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

  test('readings still increase after the clock is moved', () => {
    const clock = makeMovableClock(makeClock());
    clock.now();
    clock.move(40 * DAY_US);
    const moved = clock.now();
    expect(clock.now()).toBeGreaterThan(moved);
  });

  test('a movable clock can be moved forward', () => {
    const clock = makeMovableClock(makeClock());
    const before = clock.now();
    clock.move(30 * DAY_US);
    expect(clock.now()).toBeGreaterThanOrEqual(before + 30 * DAY_US);
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

describe('the order of a list', () => {
  test('in a list, the oldest item comes first, whatever the ids', () => {
    const [first, second, third] = [at(-1, 'c'), at(1_793_491_199_999_999, 'b'), at(1_793_491_200_000_000, 'a')];
    expect([third, first, second].sort(byAge)).toEqual([first, second, third]);
  });

  test('in a list, items that were created in the same microsecond are ordered by id', () => {
    const [first, second, third] = [at(5, '0a'), at(5, '0b'), at(5, 'f0')];
    expect([third, second, first].sort(byAge)).toEqual([first, second, third]);
    expect([first, second, third].sort(byAge)).toEqual([first, second, third]);
  });
});
