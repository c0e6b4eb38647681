import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeClock, microsOf, timestampOf } from '../../emulators/stack/clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['2026-10-31T23:59:59.999999Z', 1793491199999999],
  ['2026-10-31T23:59:59Z', 1793491199000000],
  ['2026-11-01T01:59:59.5+02:00', 1793491199500000],
  ['2026-10-31T23:59:59.1234567Z', 1793491199123456],
])('%s is %d microseconds after the epoch', (timestamp, micros) => {
  expect(microsOf(timestamp)).toBe(micros);
});

test('a timestamp shows microseconds', () => {
  expect(timestampOf(1793491199999.999)).toBe('2026-10-31T23:59:59.999999Z');
  expect(timestampOf(1793491199000)).toBe('2026-10-31T23:59:59.000000Z');
});

test('the clock shows real time until it is set, and again after it is set to null', () => {
  const clock = makeClock();
  expect(clock.now()).toBe(Date.now());
  clock.set(microsOf('2026-10-31T23:59:59.999999Z'));
  expect(timestampOf(clock.now())).toBe('2026-10-31T23:59:59.999999Z');
  clock.set(null);
  expect(clock.now()).toBe(Date.now());
  expect(clock.offsetMicros()).toBe(0);
});

test('the clock runs on after it is set, and its offset from real time is a whole number of microseconds', () => {
  const clock = makeClock();
  clock.set(microsOf('2026-10-31T23:59:59.999999Z'));
  vi.advanceTimersByTime(1);
  expect(timestampOf(clock.now())).toBe('2026-11-01T00:00:00.000999Z');
  expect(clock.offsetMicros()).toBe(1793491199999999 - 1795176000000000);
});
