import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TokenBuckets } from '../../../shared/base/token-buckets.ts';

/** Buckets of three tokens that regain one token every 10 ms, on a clock that the test sets. */
function makeBuckets() {
  const time = { ms: 0 };
  return { time, buckets: new TokenBuckets({ capacityMs: 30, tokenMs: 10 }, () => time.ms) };
}

describe('token buckets', () => {
  test('a bucket gives all requested tokens or none', () => {
    const { buckets } = makeBuckets();
    expect(buckets.take('a', 2)).toBe(true);
    expect(buckets.take('a', 2)).toBe(false);
    expect(buckets.take('a', 1)).toBe(true);
    expect(buckets.take('a', 1)).toBe(false);
    expect(buckets.take('b', 3)).toBe(true);
  });

  test('a full bucket may give more tokens than it holds, and then gives none until the missing tokens are refilled', () => {
    const { time, buckets } = makeBuckets();
    buckets.take('a');
    expect(buckets.take('a', 5)).toBe(false);
    time.ms = 10;
    expect(buckets.take('a', 5)).toBe(true);
    time.ms = 10 + 29;
    expect(buckets.take('a')).toBe(false);
    time.ms = 10 + 30;
    expect(buckets.take('a')).toBe(true);
  });

  test('the time until tokens are available is reported exactly to the millisecond', () => {
    const counts = fc.array(fc.record({ afterMs: fc.nat(40), count: fc.integer({ min: 1, max: 5 }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 5 }), (taken, wanted) => {
        const { time, buckets } = makeBuckets();
        for (const { afterMs, count } of taken) {
          time.ms += afterMs;
          buckets.take('a', count);
        }
        const waitMs = buckets.waitMs('a', wanted);
        time.ms += waitMs - 1;
        if (waitMs > 0) expect(buckets.take('a', wanted)).toBe(false);
        time.ms += 1;
        expect(buckets.take('a', wanted)).toBe(true);
      }),
    );
  });
});
