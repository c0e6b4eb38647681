import { z } from 'zod';
import type { KeyId } from '../base/ids.ts';
import type { Month } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from '../tenancy/caller.ts';
import { type Count, DAYS, type DayCounts } from './counter.ts';
import { countsSeenBy } from './usage.ts';

export const dailyUsageAnswer = z
  .object({
    day: z.iso.date().describe('The UTC day, as YYYY-MM-DD.'),
    key_id: z.uuid().describe('The ID of the key.'),
    container_id: z.uuid().describe('The container of the key.'),
    ops: z.int().describe('Metered operations on that day.'),
  })
  .meta({ id: 'DailyUsageLine' });

type DailyUsage = z.input<typeof dailyUsageAnswer>;

/** The most lines of later days to keep in memory, about 20 MB, so that one pass over the counts serves several days. */
const LINES_KEPT = 100_000;

/** Yields a line for each UTC day and each key with operations that the caller can reach, by day and then key id. */
export function readDailyUsage(
  store: Store,
  caller: Caller,
  month: Month,
  keyId?: KeyId,
): AsyncGenerator<DailyUsage[]> {
  return dailyLines(month, () => countsSeenBy(store, caller, month, keyId));
}

/**
 * Yields the lines of counts that are sorted by key id. Reads the counts once, or more often if there are more lines
 * than may be kept in memory.
 */
export async function* dailyLines(
  month: Month,
  read: () => AsyncIterable<readonly Count[]>,
  mostKept: number = LINES_KEPT,
): AsyncGenerator<DailyUsage[]> {
  for (let days = DAYS; days.length > 0; ) {
    const [today = '', ...coming] = days;
    const later = new Map<string, DailyUsage[]>(coming.map((day) => [day, []]));
    let kept = 0;
    for await (const keys of byKey(read())) {
      yield linesOf(month, today, keys);
      for (const [day, lines] of later) {
        const more = linesOf(month, day, keys);
        lines.push(...more);
        kept += more.length;
      }
      for (const day of coming.toReversed()) {
        if (kept <= mostKept) break;
        kept -= later.get(day)?.length ?? 0;
        later.delete(day);
      }
    }
    yield* later.values();
    days = coming.filter((day) => !later.has(day));
  }
}

type KeyDays = Pick<Count, 'key_id' | 'container_id' | 'days'>;

/** Adds up the counts of each key, which follow each other because their documents are sorted by key id. */
async function* byKey(pages: AsyncIterable<readonly Count[]>): AsyncGenerator<KeyDays[]> {
  let last: KeyDays | undefined;
  for await (const page of pages) {
    const whole: KeyDays[] = [];
    for (const count of page) {
      if (last?.key_id === count.key_id) last = { ...last, days: addDays(last.days, count.days) };
      else {
        if (last !== undefined) whole.push(last);
        last = count;
      }
    }
    yield whole;
  }
  if (last !== undefined) yield [last];
}

function addDays(sums: DayCounts, more: DayCounts): DayCounts {
  const added = Object.entries(more).map(([day, ops]) => [day, (sums[day] ?? 0) + ops]);
  return { ...sums, ...Object.fromEntries(added) };
}

function linesOf(month: Month, day: string, keys: readonly KeyDays[]): DailyUsage[] {
  return keys.flatMap(({ key_id, container_id, days }) => {
    const ops = days[day] ?? 0;
    return ops === 0 ? [] : [{ day: `${month}-${day}`, key_id, container_id, ops }];
  });
}
