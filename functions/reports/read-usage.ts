import { z } from 'zod';
import { EITHER } from '../../shared/auth/caller.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { takeReportTurn } from '../../shared/http/report-turn.ts';
import { monthOf } from '../../shared/metering/month.ts';
import { periodQuery } from '../../shared/metering/period.ts';
import { readUsage, usageAnswer, viewUsage } from '../../shared/metering/usage.ts';

export const readUsageRoute = plainRoute({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Operations and allowance of each key in a month, oldest key first',
  admits: EITHER,
  takes: periodQuery,
  status: 200,
  answer: z.array(usageAnswer),
  async handle({ env, caller, input }) {
    const month = input ?? monthOf(env.clock.now());
    const used = await takeReportTurn(env, caller.tenantId, () => readUsage(env, caller, month));
    return used.map((usage) => viewUsage(usage, month));
  },
});
