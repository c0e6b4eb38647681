import { z } from 'zod';
import { ApiError } from '../errors.ts';
import type { InputReader } from '../http/input.ts';
import { query } from '../http/query.ts';
import { type Month, parseMonth } from './month.ts';

const period = z
  .string()
  .regex(/^\d{4}-\d{2}$/)
  .describe('a UTC month, YYYY-MM; the current one by default');

/** The month that a query asks for, `undefined` for the current one. Throws `invalid_period`. */
export const periodQuery: InputReader<Month | undefined> = query(
  z.object({ period }),
  (parameters) => {
    const text = parameters.get('period');
    const month = text === undefined ? undefined : parseMonth(text);
    if (text !== undefined && month === undefined)
      throw new ApiError('invalid_period', 'period is not a month: YYYY-MM');
    return month;
  },
  ['invalid_period'],
);
