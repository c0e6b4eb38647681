import { type Instant, makeInstant } from '../../../shared/base/clock.ts';
import { type Month, parseMonth } from '../../../shared/base/month.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';
import type { Life } from '../../../shared/metering/allowance.ts';

/** Parses an RFC 3339 time; a date means noon of that day. */
export function at(text: string): Instant {
  const instant = parseInstant(text.includes('T') ? text : `${text}T12:00:00Z`);
  if (instant === undefined) throw new Error(`not a time: ${text}`);
  return makeInstant(instant);
}

export function month(text: string): Month {
  const parsed = parseMonth(text);
  if (parsed === undefined) throw new Error(`not a month: ${text}`);
  return parsed;
}

/** Returns the life of a key. A deletion is the time of the request, then the time of the restore if there was one. */
export function life(created: string, ...deletions: readonly (readonly [string, string?])[]): Life {
  return {
    created_at: at(created),
    deletions: deletions.map(([requested, restored]) => ({
      requested_at: at(requested),
      restored_at: restored === undefined ? null : at(restored),
    })),
  };
}
