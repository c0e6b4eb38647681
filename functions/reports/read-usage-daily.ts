import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import type { KeyId } from '../../shared/base/ids.ts';
import { monthOf } from '../../shared/base/month.ts';
import { parsePeriod, periodShape } from '../../shared/http/period-query.ts';
import { type Parameters, parseIdParameter, query } from '../../shared/http/query.ts';
import { streamList } from '../../shared/http/streamed.ts';
import { dailyUsageAnswer, readDailyUsage } from '../../shared/metering/daily-usage.ts';
import { needs } from '../needs.ts';

const takes = query(
  periodShape.extend({ key_id: z.guid().describe('Only this key.') }),
  (parameters: Parameters) => ({
    period: parsePeriod(parameters),
    keyId: parseIdParameter<KeyId>(parameters, 'key_id'),
  }),
  ['invalid_period'],
);

export const readUsageDailyRoute = needs('store', 'clock').route({
  id: 'read_usage_daily',
  method: 'GET',
  path: '/v1/usage/daily',
  summary: 'Get daily operations by key',
  description:
    'Returns the metered operations of each key on each UTC day of a month. The daily counts of a key add up to its monthly count.',
  tag: 'Audit and usage',
  admits: EITHER,
  takes,
  status: 200,
  answer: z
    .array(dailyUsageAnswer)
    .describe('One entry for each key and UTC day with operations, sorted by day and then by key ID.'),
  isReport: true,
  async handle({ store, clock }, { caller, input: { period, keyId } }) {
    const month = period ?? monthOf(clock.now());
    return streamList(readDailyUsage(store, caller, month, keyId), (line) => line);
  },
});
