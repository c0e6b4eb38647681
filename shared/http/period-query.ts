import { z } from 'zod';
import { type Month, parseMonth } from '../base/month.ts';
import { ApiError } from '../errors.ts';
import type { InputReader } from './input.ts';
import { type Parameters, query } from './query.ts';

const period = z
  .string()
  .regex(/^\d{4}-\d{2}$/)
  .describe('UTC month, as YYYY-MM. The default is the current month.');

export const periodShape = z.object({ period });

/** Reads the month from the query, or `undefined` for the current month. Throws `invalid_period`. */
export const periodQuery: InputReader<Month | undefined> = query(periodShape, parsePeriod, ['invalid_period']);

export function parsePeriod(parameters: Parameters): Month | undefined {
  const text = parameters.get('period');
  const month = text === undefined ? undefined : parseMonth(text);
  if (text !== undefined && month === undefined)
    throw new ApiError('invalid_period', 'period must be a month, as YYYY-MM');
  return month;
}
