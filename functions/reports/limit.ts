import { z } from 'zod';
import { invalidQuery } from '../../shared/http/query.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** The number of rows on a page. */
export const pageLimit = z
  .int()
  .min(1)
  .max(MAX_LIMIT)
  .default(DEFAULT_LIMIT)
  .meta({ examples: [10] })
  .describe('Maximum number of rows to return.');

/** Returns the page size. Throws `invalid_query` unless the text is a whole number in range. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw invalidQuery(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  return limit;
}
