import type { DailyUsageLine } from '../../../client/src/index.ts';
import { daysOf } from '../service/month.ts';

/** The maximum number of keys that have a separate series. All other keys share one series. */
const MAX_SERIES = 6;

/** The operations on each day of a month, with one key or with several keys together. */
export interface Series {
  /** `undefined` for the series that combines several keys. */
  readonly keyId: string | undefined;
  /** The number of operations on each day. Index 0 is the first day of the month. */
  readonly days: readonly number[];
  readonly total: number;
}

/**
 * Returns the operations of a month as series, with the busiest key first. The six busiest keys have a series each. All
 * other keys share one.
 */
export function seriesOf(lines: readonly DailyUsageLine[], period: string): Series[] {
  const days = daysOf(period);
  const byKey = new Map<string, number[]>();
  for (const { day, key_id, ops } of lines) {
    const counts = byKey.get(key_id) ?? Array.from({ length: days }, () => 0);
    const at = Number(day.slice(8)) - 1;
    counts[at] = (counts[at] ?? 0) + ops;
    byKey.set(key_id, counts);
  }
  const all = [...byKey].map(([keyId, counts]) => ({ keyId, days: counts, total: sum(counts) }));
  all.sort((a, b) => b.total - a.total);
  if (all.length <= MAX_SERIES) return all;
  const others = all.slice(MAX_SERIES);
  const together = Array.from({ length: days }, (_, at) => sum(others.map((one) => one.days[at] ?? 0)));
  return [...all.slice(0, MAX_SERIES), { keyId: undefined, days: together, total: sum(together) }];
}

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

/** Returns the smallest of 1, 2, 5, 10, 20, 50 and so on that is not below the value. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}
