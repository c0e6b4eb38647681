import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId } from '../../../shared/base/ids.ts';
import { allowance, daysExisting, daysInMonth, isByTheDay } from '../../../shared/metering/allowance.ts';
import { type Count, DAYS, type DayCounts } from '../../../shared/metering/counter.ts';
import { dailyLines } from '../../../shared/metering/daily-usage.ts';
import { recentUseOf } from '../../../shared/metering/recent-use.ts';
import { viewUsage } from '../../../shared/metering/usage.ts';
import { at, life, month } from '../billing/a-life.ts';
import { aKey } from '../keys/a-key.ts';

const [OCTOBER, NOVEMBER] = [month('2026-10'), month('2026-11')];

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
        const { tenant_id, container_id } = aKey();
        const rest = { key_id, tenant_id, container_id, month: OCTOBER, ops: 0, older_days: {} };
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

function count(of: string, days: DayCounts, older_days: DayCounts = {}) {
  return { month: month(of), days, older_days };
}

function recentUse(now: string, ...counts: readonly ReturnType<typeof count>[]) {
  return recentUseOf(counts, at(now));
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

test.each([
  ['free', NOVEMBER, 0, 10_000, 10_000, 0],
  ['free', NOVEMBER, 10_000, 10_000, 10_000, 0],
  ['free', NOVEMBER, 10_003, 10_000, 10_000, 3],
  ['free', OCTOBER, 10_003, 10_000, 10_000, 3],
  ['wrapped', NOVEMBER, 50_001, 50_000, 50_000, 1],
  ['software', NOVEMBER, 100_000, 100_000, 100_000, 0],
  // The key was created on 15 October, so it exists on 17 of 31 days.
  ['software', OCTOBER, 54_838, 100_000, 54_838, 0],
  ['software', OCTOBER, 54_839, 100_000, 54_838, 1],
  ['hsm', OCTOBER, 0, 250_000, 137_096, 0],
] as const)('the usage of a %s key in %s with %i operations shows cap %i, allowance %i and overage %i', (...row) => {
  const [tier, of, ops, cap, allowance, overage_ops] = row;
  const key = aKey({ tier });
  const line = { key_id: key.id, container_id: key.container_id, ops, overage_ops, cap, allowance };
  expect(viewUsage({ key, ops }, of)).toEqual(line);
});

test.each([
  ['2026-10', 31],
  ['2026-11', 30],
  ['2026-12', 31],
  ['2027-02', 28],
  ['2028-02', 29],
  ['2000-02', 29],
  ['2100-02', 28],
])('the month %s has %i days', (text, days) => {
  expect(daysInMonth(month(text))).toBe(days);
});

test.each([
  ['2026-09', 'per key and month'],
  ['2026-10', 'by the day'],
  ['2027-01', 'by the day'],
])('the month %s is billed %s', (text, how) => {
  expect(isByTheDay(month(text))).toBe(how === 'by the day');
});

test.each([
  ['one day if it was created in the last microsecond', life('2026-11-30T23:59:59.999999Z'), '2026-11', 1],
  ['all days if it was created in the first instant', life('2026-11-01T00:00:00Z'), '2026-11', 30],
  ['one day if it was deleted in the first instant', life('2026-09-15', ['2026-11-01T00:00:00Z']), '2026-11', 1],
  [
    'up to a deletion that was undone in the next month',
    life('2026-09-15', ['2026-10-29', '2026-11-02']),
    '2026-10',
    29,
  ],
  ['all days of the month of its restoration', life('2026-09-15', ['2026-10-29', '2026-11-02']), '2026-11', 30],
])('a key exists on these days of a month: %s', (_, of, text, days) => {
  expect(daysExisting(of, month(text))).toBe(days);
});

test('the allowance of a free key is 10,000, however many days the key exists', () => {
  for (const lived of [life('2026-11-30'), life('2026-12-01'), life('2026-09-01', ['2026-10-01'])]) {
    expect(allowance('free', lived, month('2026-11'))).toBe(10_000);
  }
});

test('the allowance of a paid key before October 2026 is the full cap, however many days the key exists', () => {
  for (const lived of [life('2026-09-30'), life('2026-10-01'), life('2026-08-01', ['2026-09-01'])]) {
    expect(allowance('software', lived, month('2026-09'))).toBe(100_000);
  }
});
