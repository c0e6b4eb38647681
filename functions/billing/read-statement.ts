import { CONSOLE } from '../../shared/auth/admission.ts';
import { monthOf } from '../../shared/base/month.ts';
import { statementAnswer, viewStatement } from '../../shared/billing/statement.ts';
import { readStatement } from '../../shared/billing/statements.ts';
import { periodQuery } from '../../shared/http/period-query.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';

export const readStatementRoute = route({
  id: 'read_statement',
  method: 'GET',
  path: '/v1/billing/statement',
  summary: 'What a month costs: a line for each paid key',
  admits: CONSOLE,
  takes: periodQuery,
  status: 200,
  answer: statementAnswer,
  async handle({ store, clock, reports }: ReportNeeds, { caller: { tenantId }, input }) {
    const month = input ?? monthOf(clock.now());
    return viewStatement(await reports.take(tenantId, () => readStatement(store, tenantId, month)));
  },
});
