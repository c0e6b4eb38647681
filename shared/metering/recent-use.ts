import { DAY_US, type Instant, makeInstant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { dateOf, type Month, monthOf } from '../base/month.ts';
import type { Store } from '../store/store.ts';
import { type Count, type DayCounts, readCounts } from './counter.ts';

const RECENT_DAYS = 30;

/** A key's operations in the last 30 UTC days. */
interface RecentUse {
  readonly since: string;
  readonly ops: number;
  readonly olderVersionOps: number;
  /** The last UTC day with an operation that needed an older version, or `null`. */
  readonly lastOlderUse: string | null;
}

export async function readRecentUse(store: Store, keyId: KeyId, now: Instant): Promise<RecentUse> {
  const days = Array.from({ length: RECENT_DAYS }, (_, before) => makeInstant(now - before * DAY_US));
  const months = [...new Set(days.map(monthOf))];
  const counts = await Promise.all(months.map((month) => readCounts(store, [keyId], month)));
  return recentUseOf(counts.flat(), now);
}

export function recentUseOf(counts: readonly Pick<Count, 'month' | 'days' | 'older_days'>[], now: Instant): RecentUse {
  const since = dateOf(makeInstant(now - (RECENT_DAYS - 1) * DAY_US));
  const today = dateOf(now);
  const recent = (month: Month, days: DayCounts) =>
    Object.entries(days)
      .map(([day, ops]) => ({ date: `${month}-${day}`, ops }))
      .filter(({ date, ops }) => ops > 0 && date >= since && date <= today);
  const all = counts.flatMap(({ month, days }) => recent(month, days));
  const older = counts.flatMap(({ month, older_days }) => recent(month, older_days));
  const lastOlderUse =
    older
      .map(({ date }) => date)
      .sort()
      .at(-1) ?? null;
  return { since, ops: sumOps(all), olderVersionOps: sumOps(older), lastOlderUse };
}

function sumOps(days: readonly { readonly ops: number }[]): number {
  return days.reduce((sum, { ops }) => sum + ops, 0);
}
