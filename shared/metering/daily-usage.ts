import { z } from 'zod';
import type { KeyId } from '../base/ids.ts';
import type { Month } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from '../tenancy/caller.ts';
import { type Count, DAYS } from './counter.ts';
import { countsSeenBy } from './usage.ts';

export const dailyUsageAnswer = z
  .object({
    day: z.iso.date().describe('The UTC day, as YYYY-MM-DD.'),
    key_id: z.uuid().describe('The ID of the key.'),
    container_id: z.uuid().describe('The container of the key.'),
    ops: z.int().describe('Metered operations on that day.'),
  })
  .meta({ id: 'DailyUsageLine' });

interface KeyDays extends Pick<Count, 'key_id' | 'container_id'> {
  readonly days: Map<string, number>;
}

/** Returns a line per UTC day and key with operations, if the caller can reach the key. Sorts by day and key id. */
export async function readDailyUsage(
  store: Store,
  caller: Caller,
  month: Month,
  keyId?: KeyId,
): Promise<z.input<typeof dailyUsageAnswer>[]> {
  const byKey = new Map<KeyId, KeyDays>();
  for await (const counts of countsSeenBy(store, caller, month, keyId)) addDays(byKey, counts);
  const keys = [...byKey.values()].sort((a, b) => (a.key_id < b.key_id ? -1 : 1));
  return DAYS.flatMap((day) =>
    keys.flatMap(({ key_id, container_id, days }) => {
      const ops = days.get(day) ?? 0;
      return ops === 0 ? [] : { day: `${month}-${day}`, key_id, container_id, ops };
    }),
  );
}

function addDays(byKey: Map<KeyId, KeyDays>, counts: readonly Count[]): void {
  for (const { key_id, container_id, days } of counts) {
    const sums = byKey.get(key_id) ?? { key_id, container_id, days: new Map() };
    for (const [day, ops] of Object.entries(days)) sums.days.set(day, (sums.days.get(day) ?? 0) + ops);
    byKey.set(key_id, sums);
  }
}
