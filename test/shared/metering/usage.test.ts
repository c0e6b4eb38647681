import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId } from '../../../shared/base/ids.ts';
import { type Month, monthSchema, parseMonth } from '../../../shared/base/month.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';
import { type Count, DAYS, type DayCounts } from '../../../shared/metering/counter.ts';
import { dailyLines } from '../../../shared/metering/daily-usage.ts';
import { recentUseOf } from '../../../shared/metering/recent-use.ts';
import { viewUsage } from '../../../shared/metering/usage.ts';
import { aKey } from '../keys/a-key.ts';

const OCTOBER = monthSchema.parse('2026-10');

/** Counts of up to 20 keys in up to three shards each, sorted by key id as the store returns them. */
const anyCounts = fc
  .array(fc.array(fc.dictionary(fc.constantFrom(...DAYS), fc.nat(9), { maxKeys: 5 }), { minLength: 1, maxLength: 3 }), {
    maxLength: 20,
  })
  .map((keys) =>
    keys
      .map((shards) => ({ key_id: makeId<Count['key_id']>(), shards }))
      .sort((a, b) => (a.key_id < b.key_id ? -1 : 1))
      .flatMap(({ key_id, shards }) => {
        const rest = {
          key_id,
          tenant_id: makeId<Count['tenant_id']>(),
          container_id: makeId<Count['container_id']>(),
          month: OCTOBER,
          ops: 0,
          older_days: {},
        };
        return shards.map((days): Count => ({ ...rest, days }));
      }),
  );

test('daily usage adds up the shards of each key and is sorted by day and key, however few lines fit into memory', () =>
  fc.assert(
    fc.asyncProperty(anyCounts, fc.integer({ min: 1, max: 7 }), fc.nat(60), async (counts, perPage, mostKept) => {
      async function* read() {
        for (let start = 0; start < counts.length; start += perPage) yield counts.slice(start, start + perPage);
      }
      const lines = (await Array.fromAsync(dailyLines(OCTOBER, read, mostKept))).flat();
      const expected = DAYS.flatMap((day) => {
        const sums = new Map<string, number>();
        for (const { key_id, days } of counts) sums.set(key_id, (sums.get(key_id) ?? 0) + (days[day] ?? 0));
        return [...sums].filter(([, ops]) => ops > 0).map(([key_id, ops]) => [`${OCTOBER}-${day}`, key_id, ops]);
      });
      expect(lines.map(({ day, key_id, ops }) => [day, key_id, ops])).toEqual(expected);
    }),
  ));

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
  const counts = [count('2027-01', { '30': 1, '31': 2 }), count('2027-02', { '28': 4 }), count('2027-03', { '01': 8 })];
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

const [october, november] = [parseMonth('2026-10'), parseMonth('2026-11')];

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
