import { afterEach, expect, test, vi } from 'vitest';
import { startStopwatch } from '../../../shared/base/clock.ts';

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
