import type { ApiKey } from '../../../client/src/index.ts';

const DAY_MS = 86_400_000;
/** The console warns this many days before an API key expires. */
const WARNED_DAYS = 14;

/** Returns the days until an API key expires, rounded up, if it expires soon. If it has expired, returns 0. */
export function daysToExpiry({ expires_at }: Pick<ApiKey, 'expires_at'>, now: Date): number | undefined {
  if (expires_at === null) return undefined;
  const days = Math.ceil((expires_at.getTime() - now.getTime()) / DAY_MS);
  return days > WARNED_DAYS ? undefined : Math.max(0, days);
}

/** Returns the value of a `datetime-local` input: the local time, to the minute. No time is an empty text. */
export function localTime(time: Date | null): string {
  if (time === null) return '';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

const UNUSED_MS = 90 * 86_400_000;

/**
 * Returns whether an API key has not been used for 90 days. For an API key that was never used, the time since its
 * creation counts.
 */
export function isUnused({ created_at, last_used_at }: ApiKey, now: Date): boolean {
  return now.getTime() - (last_used_at ?? created_at).getTime() > UNUSED_MS;
}
