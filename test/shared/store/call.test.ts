import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { GRPC } from '../../../shared/grpc/status.ts';
import { call, endOfOperation } from '../../../shared/store/call.ts';

const AGAIN = [GRPC.UNAVAILABLE];
const UNAVAILABLE = Object.assign(new Error('unavailable'), { code: GRPC.UNAVAILABLE });
const LATE = expect.objectContaining({ name: 'DeadlineExceeded' });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // The waits between attempts are random. This mock makes them zero.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a repeated call ends at the deadline of the first attempt', async () => {
  const left: number[] = [];
  const calling = call(endOfOperation(), AGAIN, async (leftMs) => {
    left.push(leftMs);
    if (left.length === 1) {
      vi.advanceTimersByTime(4_000);
      throw UNAVAILABLE;
    }
    queueMicrotask(() => vi.advanceTimersByTime(DEADLINES_MS.firestore - 4_000));
    return new Promise(() => undefined);
  });
  await expect(calling).rejects.toEqual(LATE);
  expect(left).toEqual([DEADLINES_MS.firestore, DEADLINES_MS.firestore - 4_000]);
});

test('once its deadline has passed, a call is not repeated', async () => {
  let attempts = 0;
  const calling = call(endOfOperation(), AGAIN, async () => {
    attempts++;
    vi.advanceTimersByTime(DEADLINES_MS.firestore / 2);
    throw UNAVAILABLE;
  });
  await expect(calling).rejects.toEqual(LATE);
  expect(attempts).toBe(2);
});
