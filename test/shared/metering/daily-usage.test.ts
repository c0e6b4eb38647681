import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId } from '../../../shared/base/ids.ts';
import { monthSchema } from '../../../shared/base/month.ts';
import { type Count, DAYS } from '../../../shared/metering/counter.ts';
import { dailyLines } from '../../../shared/metering/daily-usage.ts';

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
