import type { Instant } from '../base/clock.ts';
import { dayOf, type Month, monthOf } from '../base/month.ts';
import { TIER, type Tier } from '../tiers.ts';

/** The first month that is billed by the day. */
const FIRST_MONTH_BY_THE_DAY = '2026-10';

/** When a key existed: from its creation until a deletion request that was not undone. */
export interface Life {
  readonly created_at: Instant;
  readonly deletions: readonly { readonly requested_at: Instant; readonly restored_at: Instant | null }[];
}

export function isByTheDay(month: Month): boolean {
  return month >= FIRST_MONTH_BY_THE_DAY;
}

export function daysInMonth(month: Month): number {
  return new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
}

/**
 * Counts the UTC days in a month from the key's creation to its deletion request, both included. If the key is restored
 * in a later month, that month and the following ones count as if it was never deleted. Earlier months do not change.
 */
export function daysExisting(life: Life, month: Month): number {
  const created = monthOf(life.created_at);
  if (created > month) return 0;
  const first = created === month ? dayOf(life.created_at) : 1;
  let last = daysInMonth(month);
  for (const { requested_at, restored_at } of life.deletions) {
    const requested = monthOf(requested_at);
    const isInEffect = restored_at === null || monthOf(restored_at) > month;
    if (!isInEffect || requested > month) continue;
    last = requested === month ? Math.min(last, dayOf(requested_at)) : 0;
  }
  return Math.max(0, last - first + 1);
}

/** Returns the operations included in a month's fee: from October 2026, in proportion to the days of a paid key. */
export function allowance(tier: Tier, life: Life, month: Month): number {
  const { monthlyOps, paid } = TIER[tier];
  if (!paid || !isByTheDay(month)) return monthlyOps;
  return Math.floor((monthlyOps * daysExisting(life, month)) / daysInMonth(month));
}
