import { describe, expect, test } from 'vitest';
import { parseMonth } from '../../../shared/base/month.ts';
import { viewUsage } from '../../../shared/metering/usage.ts';
import { aKey } from '../keys/a-key.ts';

const [october, november] = [parseMonth('2026-10'), parseMonth('2026-11')];

describe('a usage line', () => {
  test.each([
    ['free', november, 0, 10_000, 10_000, 0],
    ['free', november, 10_000, 10_000, 10_000, 0],
    ['free', november, 10_003, 10_000, 10_000, 3],
    ['free', october, 10_003, 10_000, 10_000, 3],
    ['wrapped', november, 50_001, 50_000, 50_000, 1],
    ['software', november, 100_000, 100_000, 100_000, 0],
    // The key was created on 15 October, so it exists on 17 of 31 days.
    ['software', october, 54_838, 100_000, 54_838, 0],
    ['software', october, 54_839, 100_000, 54_838, 1],
    ['hsm', october, 0, 250_000, 137_096, 0],
  ] as const)('the usage of a %s key in %s with %i operations shows cap %i, allowance %i and overage %i', (...row) => {
    const [tier, month, ops, cap, allowance, overage_ops] = row;
    if (month === undefined) throw new Error('not a month');
    const key = aKey({ tier });
    const line = { key_id: key.id, container_id: key.container_id, ops, overage_ops, cap, allowance };
    expect(viewUsage({ key, ops }, month)).toEqual(line);
  });
});
