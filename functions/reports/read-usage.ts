import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { monthOf } from '../../shared/base/month.ts';
import { periodQuery } from '../../shared/http/period-query.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { readUsage, usageAnswer, viewUsage } from '../../shared/metering/usage.ts';

export const readUsageRoute = route({
  id: 'read_usage',
  method: 'GET',
  path: '/v1/usage',
  summary: 'Operations and allowance of each key in a month, oldest key first',
  admits: EITHER,
  takes: periodQuery,
  status: 200,
  answer: z.array(usageAnswer),
  async handle({ store, clock, reports }: ReportNeeds, { caller, input }) {
    const month = input ?? monthOf(clock.now());
    const used = await reports.take(caller.tenantId, () => readUsage(store, caller, month));
    return used.map((usage) => viewUsage(usage, month));
  },
});
