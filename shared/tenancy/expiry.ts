import { type Clock, type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import { parseInstant } from '../base/rfc3339.ts';
import { ApiError } from '../errors.ts';

/** 9999-12-31T23:59:59.999999Z, the last time that RFC 3339 can express in UTC. */
const LAST = makeInstant(253_402_300_799_999_999);

/**
 * Returns the time from which an API key no longer works, or `null` for never. The time must be in the future, or equal
 * to `stored`. Otherwise throws `invalid_expires_at`.
 */
export function parseExpiry(clock: Clock, text: string | null, stored: Instant | null = null): Instant | null {
  if (text === null) return null;
  const at = parseInstant(text);
  if (at !== undefined && at <= LAST && (at === stored || at > clock.now())) return at;
  throw new ApiError(
    'invalid_expires_at',
    'expires_at must be a future time in RFC 3339 with an offset, at the latest in year 9999, or null',
  );
}

/** Whether the time has come. `null` is never. */
export function isPast(at: Instant | null, clock: Clock): boolean {
  return at !== null && at <= clock.now();
}

/** Returns the seconds left, rounded up and at least 1, because clients of Vault read 0 as never. `null` gives 0. */
export function secondsUntil(at: Instant | null, clock: Clock): number {
  return at === null ? 0 : Math.max(1, Math.ceil((at - clock.now()) / SECOND_US));
}

/** Returns the earlier time. `null` is never. */
export function sooner(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
