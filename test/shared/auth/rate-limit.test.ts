import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimit } from '../../../shared/auth/rate-limit.ts';
import { MONOTONIC } from '../../../shared/base/rate.ts';

/** A rate limit on a clock that the test sets, in milliseconds. */
function makeLimit() {
  const time = { ms: 0 };
  return { time, limit: new RateLimit({ ...MONOTONIC, nowMs: () => time.ms }) };
}

function takeMany(limit: RateLimit, owner: string, times: number): number {
  return Array.from({ length: times }, () => limit.take(owner)).filter((taken) => taken).length;
}

describe('the rate limit', () => {
  test('a sender’s token bucket starts with 100 tokens', () => {
    const { limit } = makeLimit();
    expect(takeMany(limit, 'a', 100)).toBe(100);
    expect(takeMany(limit, 'a', 50)).toBe(0);
  });

  test('a bucket regains 100 tokens a second', () => {
    const { time, limit } = makeLimit();
    takeMany(limit, 'a', 100);
    time.ms = 500;
    expect(takeMany(limit, 'a', 100)).toBe(50);
    time.ms = 1500;
    expect(takeMany(limit, 'a', 200)).toBe(100);
  });

  test('a bucket regains one token every 10 ms', () => {
    const { time, limit } = makeLimit();
    takeMany(limit, 'a', 100);
    for (let token = 1; token <= 300; token++) {
      time.ms = token * 10 - 1;
      expect(limit.take('a'), `at ${time.ms} ms`).toBe(false);
      time.ms = token * 10;
      expect(limit.take('a'), `at ${time.ms} ms`).toBe(true);
    }
  });

  test('a bucket never holds more than 100 tokens', () => {
    const { time, limit } = makeLimit();
    limit.take('a');
    time.ms = 3_600_000;
    expect(takeMany(limit, 'a', 300)).toBe(100);
  });

  test('a refused request uses no token', () => {
    const { time, limit } = makeLimit();
    takeMany(limit, 'a', 100);
    takeMany(limit, 'a', 10_000);
    time.ms = 10;
    expect(takeMany(limit, 'a', 10)).toBe(1);
  });

  test('refused requests every millisecond do not slow the refill', () => {
    const { time, limit } = makeLimit();
    takeMany(limit, 'a', 100);
    let taken = 0;
    for (time.ms = 1; time.ms <= 1000; time.ms++) if (limit.take('a')) taken++;
    expect(taken).toBe(100);
  });

  test('each sender has a separate token bucket', () => {
    const { limit } = makeLimit();
    takeMany(limit, 'a', 100);
    expect(limit.take('a')).toBe(false);
    expect(takeMany(limit, 'b', 101)).toBe(100);
  });

  test('the rate limit behaves like a bucket of 100 tokens that regains one token every 10 ms', () => {
    const request = fc.record({
      owner: fc.constantFrom('a', 'b'),
      afterMs: fc.oneof(fc.constant(0), fc.nat(25), fc.nat(3000)),
      times: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        const { time, limit } = makeLimit();
        // To stay exact, the model stores tokens as milliseconds of refill: 10 ms for each token.
        const model = new Map<string, { ms: number; at: number }>();
        for (const { owner, afterMs, times } of requests) {
          time.ms += afterMs;
          const { ms, at } = model.get(owner) ?? { ms: 1000, at: 0 };
          const filled = Math.min(1000, ms + time.ms - at);
          const expected = Math.min(times, Math.floor(filled / 10));
          model.set(owner, { ms: filled - expected * 10, at: time.ms });
          expect(takeMany(limit, owner, times)).toBe(expected);
        }
      }),
    );
  });

  test('removing full buckets does not affect other buckets', () => {
    const { time, limit } = makeLimit();
    const used = Array.from({ length: 10_000 }, (_, at) => `used ${at}`);
    takeMany(limit, 'spent', 100);
    for (const owner of used) limit.take(owner);
    time.ms = 500;
    for (const owner of ['new 1', 'new 2', 'new 3']) expect(takeMany(limit, owner, 101)).toBe(100);
    expect(takeMany(limit, 'spent', 100)).toBe(50);
    for (const owner of used) expect(takeMany(limit, owner, 101)).toBe(100);
  });
});
