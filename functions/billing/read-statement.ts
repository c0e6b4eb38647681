import { CONSOLE } from '../../shared/auth/caller.ts';
import { statementAnswer, viewStatement } from '../../shared/billing/statement-view.ts';
import { readStatement } from '../../shared/billing/statements.ts';
import { ApiError } from '../../shared/errors.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { monthOf } from '../../shared/metering/month.ts';
import { periodQuery } from '../../shared/metering/period.ts';

export const readStatementRoute = plainRoute({
  method: 'GET',
  path: '/v1/billing/statement',
  summary: 'What a month costs: a line for each paid key',
  admits: CONSOLE,
  takes: periodQuery,
  status: 200,
  answer: statementAnswer,
  async handle({ env, caller: { tenantId }, input }) {
    const month = input ?? monthOf(env.clock.now());
    const tooMany = () => new ApiError('unavailable', 'too many statements are being read');
    return viewStatement(await env.statements.run(tenantId, () => readStatement(env, tenantId, month), tooMany));
  },
});
