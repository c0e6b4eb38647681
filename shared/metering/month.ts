import { z } from 'zod';
import { type Instant, makeInstant } from '../base/clock.ts';

declare const month: unique symbol;

/** A UTC calendar month, `YYYY-MM`. Months compare as text in their order. */
export type Month = string & { readonly [month]: true };

function isMonth(text: string): text is Month {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** The schema of a month. */
export const monthSchema = z.string().refine(isMonth, 'not a month');

/** The month that `text` spells, or `undefined`. */
export function parseMonth(text: string): Month | undefined {
  return isMonth(text) ? text : undefined;
}

/** The UTC month that an instant lies in. */
export function monthOf(at: Instant): Month {
  const text = new Date(Math.floor(at / 1000)).toISOString().slice(0, 7);
  if (!isMonth(text)) throw new RangeError('a year of four digits is needed');
  return text;
}

/** The UTC day of its month that an instant lies in, 1 to 31. */
export function dayOf(at: Instant): number {
  return new Date(Math.floor(at / 1000)).getUTCDate();
}

/** The first instant of a month; of one before 1970, or past all instants, the nearest that a store can be asked for. */
export function monthStart(of: Month): Instant {
  const start = Date.parse(`${of}-01T00:00:00Z`) * 1000;
  return makeInstant(Math.min(Math.max(0, start), Number.MAX_SAFE_INTEGER));
}

/** The first instant of the month after. */
export function nextMonthStart(of: Month): Instant {
  const [year, index] = [Number(of.slice(0, 4)), Number(of.slice(5))];
  return makeInstant(Date.UTC(year, index) * 1000);
}

/** The month in words, for people: `October 2026`. */
export function monthName(of: Month): string {
  const start = new Date(`${of}-01T00:00:00Z`);
  return start.toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
