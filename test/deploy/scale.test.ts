import { describe, expect, test } from 'vitest';
import { busiestPart, LIMITS, rampMinutes, refusedPart } from '../../deploy/scale.ts';

describe('the scale on paper', () => {
  test('today’s deployment exceeds no limit', () => {
    expect(LIMITS.filter(({ needed, limit }) => needed > limit)).toEqual([]);
  });

  test.for([
    [500, 0],
    [501, 5],
    [750, 5],
    [10_000, 40],
  ] as const)('traffic needs to grow for %i writes a second for %i minutes', ([writes, minutes]) => {
    expect(rampMinutes(writes)).toBe(minutes);
  });
});

describe('the simulation of the KMS’s shares', () => {
  const shares = { instances: 8, perSecond: 40, patienceMs: 250 };

  test('one instance refuses exactly what exceeds its share, once its burst is used up', () => {
    const refused = refusedPart({ ...shares, instances: 1 }, 80, 1_000);
    expect(refused).toBeGreaterThan(0.48);
    expect(refused).toBeLessThan(0.52);
  });

  test('far below the shares, nothing is refused; far above, the surplus', () => {
    expect(refusedPart(shares, 100)).toBe(0);
    expect(refusedPart(shares, 640)).toBeCloseTo(0.5, 1);
  });

  test('the same simulation has the same result each time', () => {
    expect(refusedPart(shares, 320)).toBe(refusedPart(shares, 320));
  });
});

describe('the simulation of tenants over parts', () => {
  test('one part has the mean traffic, and many parts differ more than few', () => {
    expect(busiestPart(1, 1_000)).toBe(1);
    expect(busiestPart(64, 1_000)).toBeGreaterThan(busiestPart(4, 1_000));
  });
});
