import { z } from 'zod';
import { EITHER } from '../../shared/auth/caller.ts';
import { ApiError } from '../../shared/errors.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { query } from '../../shared/http/query.ts';
import { monthOf, parseMonth } from '../../shared/metering/month.ts';
import { readUsage, usageAnswer, viewUsage } from '../../shared/metering/usage.ts';

const period = z
  .string()
  .regex(/^\d{4}-\d{2}$/)
  .describe('a UTC month, YYYY-MM; the current one by default');

export const readUsageRoute = plainRoute({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Operations and allowance of each key in a month, oldest key first',
  admits: EITHER,
  takes: query(z.object({ period }), (parameters) => parameters.get('period')),
  status: 200,
  answer: z.array(usageAnswer),
  async handle({ env, caller, input }) {
    const month = input === undefined ? monthOf(env.clock.now()) : parseMonth(input);
    if (month === undefined) throw new ApiError('invalid_period', 'period is not a month: YYYY-MM');
    return (await readUsage(env, caller, month)).map((usage) => viewUsage(usage, month));
  },
});
