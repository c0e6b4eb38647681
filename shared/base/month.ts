import { z } from 'zod';
import { type Instant, makeInstant } from './clock.ts';

declare const month: unique symbol;

/** `YYYY-MM` in UTC. The order of months is their order as text. */
export type Month = string & { readonly [month]: true };

function isMonth(text: string): text is Month {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

export const monthSchema = z.string().refine(isMonth, 'not a month');

export function parseMonth(text: string): Month | undefined {
  return isMonth(text) ? text : undefined;
}

/** Returns the UTC month of an instant. Throws a `RangeError` unless its year has four digits. */
export function monthOf(at: Instant): Month {
  const date = new Date(Math.floor(at / 1000));
  const text = `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
  if (!isMonth(text)) throw new RangeError('the year must have four digits');
  return text;
}

/** Returns the UTC day of the month, 1 to 31. */
export function dayOf(at: Instant): number {
  return new Date(Math.floor(at / 1000)).getUTCDate();
}

/** Returns the UTC day of the month, `01` to `31`. */
export function dayNameOf(at: Instant): string {
  return String(dayOf(at)).padStart(2, '0');
}

/** Returns the UTC date as `YYYY-MM-DD`. */
export function dateOf(at: Instant): string {
  return `${monthOf(at)}-${dayNameOf(at)}`;
}

/** Returns the first instant of a month, clamped to the range that Firestore can query. */
export function monthStart(of: Month): Instant {
  const start = Date.parse(`${of}-01T00:00:00Z`) * 1000;
  return makeInstant(Math.min(Math.max(0, start), Number.MAX_SAFE_INTEGER));
}

export function nextMonthStart(of: Month): Instant {
  const [year, index] = [Number(of.slice(0, 4)), Number(of.slice(5))];
  return makeInstant(Date.UTC(year, index) * 1000);
}

/** Returns the month in words, such as `October 2026`. */
export function monthName(of: Month): string {
  const start = new Date(`${of}-01T00:00:00Z`);
  return start.toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
