import { type Instant, makeInstant } from '../../shared/base/clock.ts';
import { type Month, monthOf, monthStart, nextMonthStart } from '../../shared/base/month.ts';

export function monthBefore(month: Month): Month {
  return monthOf(makeInstant(monthStart(month) - 1));
}

/** Returns the months from `since` to the month of `now`, both included. */
export function monthsFrom(since: Month, now: Instant): Month[] {
  const months: Month[] = [];
  for (let month = since; month <= monthOf(now); month = monthOf(nextMonthStart(month))) months.push(month);
  return months;
}
