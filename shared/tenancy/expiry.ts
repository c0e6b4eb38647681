import { type Clock, viewInstant } from '../base/clock.ts';
import { parseDateTime } from '../base/rfc3339.ts';
import { ApiError } from '../errors.ts';
import { viewTime } from '../store/far-time.ts';

/*
 * When an API key expires is a text as the API shows it, in UTC with microseconds, because an `Instant` cannot express
 * the years after 2255.
 */

/** The last millisecond of the year 9999. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns the time from which an API key no longer works, or `null` for never. The time must be in the future, or equal
 * to `stored`. Otherwise throws `invalid_expires_at`.
 */
export function parseExpiry(clock: Clock, text: string | null, stored: string | null = null): string | null {
  if (text === null) return null;
  const parsed = parseDateTime(text);
  const ms = parsed === undefined ? Number.NaN : parsed.ms + Math.floor(parsed.micros / 1000);
  if (parsed !== undefined && ms >= 0 && ms <= LAST_MS) {
    const at = viewTime(parsed.ms, parsed.micros);
    if (at === stored || !isPast(at, clock)) return at;
  }
  throw new ApiError(
    'invalid_expires_at',
    'expires_at must be a future time in RFC 3339 with an offset, at the latest in year 9999, or null',
  );
}

/** Whether the time has come. `null` is never. */
export function isPast(at: string | null, clock: Clock): boolean {
  return at !== null && at <= viewInstant(clock.now());
}

/** Returns the seconds left, rounded up and at least 1, because clients of Vault read 0 as never. `null` gives 0. */
export function secondsUntil(at: string | null, clock: Clock): number {
  return at === null ? 0 : Math.max(1, Math.ceil((Date.parse(at) - clock.now() / 1000) / 1000));
}

/** Returns the earlier time. `null` is never. */
export function sooner(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
