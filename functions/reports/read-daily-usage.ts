import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import type { KeyId } from '../../shared/base/ids.ts';
import { monthOf } from '../../shared/base/month.ts';
import { parsePeriod, periodShape } from '../../shared/http/period-query.ts';
import { route } from '../../shared/http/pipeline.ts';
import { type Parameters, parseIdParameter, query } from '../../shared/http/query.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { dailyUsageAnswer, readDailyUsage } from '../../shared/metering/daily-usage.ts';

const takes = query(
  periodShape.extend({ key_id: z.guid() }),
  (parameters: Parameters) => ({
    period: parsePeriod(parameters),
    keyId: parseIdParameter<KeyId>(parameters, 'key_id'),
  }),
  ['invalid_period'],
);

export const readDailyUsageRoute = route({
  id: 'read_usage_daily',
  method: 'GET',
  path: '/v1/usage/daily',
  summary: 'Operations of each key on each UTC day of a month that has any, by day and then key id',
  admits: EITHER,
  takes,
  status: 200,
  answer: z.array(dailyUsageAnswer),
  handle({ store, clock, reports }: ReportNeeds, { caller, input: { period, keyId } }) {
    const month = period ?? monthOf(clock.now());
    return reports.take(caller.tenantId, () => readDailyUsage(store, caller, month, keyId));
  },
});
