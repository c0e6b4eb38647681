import { type Instant, makeInstant } from './clock.ts';

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses an RFC 3339 date-time with offset, or returns `undefined`. Rounds fractions of a microsecond up. Events have
 * whole microseconds, so the rounded limit selects the same events as the exact one. Clamps to the range of `Instant`.
 */
export function parseInstant(text: string): Instant | undefined {
  const parsed = parseDateTime(text);
  if (parsed === undefined) return undefined;
  const us = parsed.ms * 1000 + parsed.micros;
  return makeInstant(Math.min(Math.max(us, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER));
}

/** Like {@link parseInstant}, but returns a time of any year: milliseconds since 1970, and microseconds to add. */
export function parseDateTime(text: string): { readonly ms: number; readonly micros: number } | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match.slice(7);
  if (hour > 23 || minute > 59 || second > 60 || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return undefined;
  date.setUTCHours(hour, minute, second);
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  const at = date.getTime() - offsetMs;
  // A leap second ends a month in UTC (RFC 3339 §5.7). It equals the first instant of the next month.
  if (second === 60 && !isMonthStart(at)) return undefined;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0')) + (/[1-9]/.test(fraction.slice(6)) ? 1 : 0);
  return { ms: at, micros };
}

function isMonthStart(ms: number): boolean {
  return new Date(ms).toISOString().endsWith('-01T00:00:00.000Z');
}
