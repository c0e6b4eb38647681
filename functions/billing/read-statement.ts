import { CONSOLE } from '../../shared/auth/caller.ts';
import { statementAnswer, viewStatement } from '../../shared/billing/statement-view.ts';
import { readStatement } from '../../shared/billing/statements.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { takeReportTurn } from '../../shared/http/report-turn.ts';
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
    return viewStatement(await takeReportTurn(env, tenantId, () => readStatement(env, tenantId, month)));
  },
});
