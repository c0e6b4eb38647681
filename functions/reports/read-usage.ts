import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { monthOf } from '../../shared/base/month.ts';
import { periodQuery } from '../../shared/http/period-query.ts';
import { streamList } from '../../shared/http/streamed.ts';
import { readUsage, usageAnswer, viewUsage } from '../../shared/metering/usage.ts';
import { needs } from '../needs.ts';

/** Returns a line for each live key, used or not, and for each destroyed key with operations in the month. */
export const readUsageRoute = needs('store', 'clock').route({
  id: 'read_usage',
  method: 'GET',
  path: '/v1/usage',
  summary: 'Get monthly operations and allowance by key',
  description:
    'Returns the metered operations of each key in a month, with its cap and the operations included in its fee. An API key sees only the keys that it can reach.',
  tag: 'Audit and usage',
  admits: EITHER,
  takes: periodQuery,
  status: 200,
  answer: z.array(usageAnswer).describe('Oldest key first.'),
  isReport: true,
  async handle({ store, clock }, { caller, input }) {
    const month = input ?? monthOf(clock.now());
    return streamList(readUsage(store, caller, month), (usage) => viewUsage(usage, month));
  },
});
