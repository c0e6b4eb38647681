import { describe, expect, test } from 'vitest';
import { type Month, parseMonth } from '../../../shared/base/month.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';
import type { DayCounts } from '../../../shared/metering/counter.ts';
import { recentUseOf } from '../../../shared/metering/recent-use.ts';

function count(month: string, days: DayCounts, older_days: DayCounts = {}) {
  const parsed: Month | undefined = parseMonth(month);
  if (parsed === undefined) throw new Error('not a month');
  return { month: parsed, days, older_days };
}

function recentUse(now: string, ...counts: readonly ReturnType<typeof count>[]) {
  const at = parseInstant(now);
  if (at === undefined) throw new Error('not an instant');
  return recentUseOf(counts, at);
}

describe('the recent use of a key', () => {
  test('the recent use is empty if nothing was counted', () => {
    const none = { since: '2026-10-25', ops: 0, olderVersionOps: 0, lastOlderUse: null };
    expect(recentUse('2026-11-23T12:00:00Z')).toEqual(none);
    expect(recentUse('2026-11-23T12:00:00Z', count('2026-11', { '03': 0 }, { '03': 0 }))).toEqual(none);
  });

  test('the recent use covers 30 UTC days, today included, and no other day', () => {
    const days = { '23': 1, '24': 10, '25': 100 };
    const older = { '23': 1, '24': 2, '25': 3 };
    const use = recentUse('2026-11-23T23:59:59.999999Z', count('2026-10', days, older), count('2026-11', days, older));
    expect(use).toEqual({ since: '2026-10-25', ops: 101, olderVersionOps: 4, lastOlderUse: '2026-11-23' });
  });

  test('the 30 days of the recent use can span three months', () => {
    const counts = [
      count('2027-01', { '30': 1, '31': 2 }),
      count('2027-02', { '28': 4 }),
      count('2027-03', { '01': 8 }),
    ];
    expect(recentUse('2027-03-01T00:00:00Z', ...counts)).toMatchObject({ since: '2027-01-31', ops: 14 });
  });

  test('the recent use sums all shards, and reports the latest day on which any shard counted an older key version', () => {
    const counts = [
      count('2026-11', { '02': 5, '20': 1 }, { '20': 1 }),
      count('2026-11', { '02': 5 }, { '02': 4 }),
      count('2026-10', { '31': 7 }, { '31': 7 }),
    ];
    const use = recentUse('2026-11-23T00:00:00Z', ...counts);
    expect(use).toEqual({ since: '2026-10-25', ops: 18, olderVersionOps: 12, lastOlderUse: '2026-11-20' });
  });
});
