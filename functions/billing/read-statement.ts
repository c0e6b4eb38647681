import { CONSOLE } from '../../shared/auth/admission.ts';
import { monthOf } from '../../shared/base/month.ts';
import { statementAnswer } from '../../shared/billing/statement.ts';
import { readStatement } from '../../shared/billing/statements.ts';
import { periodQuery } from '../../shared/http/period-query.ts';
import { streamLines } from '../../shared/http/streamed.ts';
import { needs } from '../needs.ts';

/** Returns the stored statement of a closed month. For another month, computes it from the keys and their counts. */
export const readStatementRoute = needs('store', 'clock').route({
  id: 'read_statement',
  method: 'GET',
  path: '/v1/billing/statement',
  summary: "Get a month's statement",
  description:
    "Returns a month's fees and usage, with a line for each paid key. For the current month, the statement assumes that existing keys stay until the end of the month.",
  tag: 'Billing',
  admits: CONSOLE,
  takes: periodQuery,
  status: 200,
  answer: statementAnswer,
  isReport: true,
  async handle({ store, clock }, { caller: { tenantId }, input }) {
    const month = input ?? monthOf(clock.now());
    const { period, lines, totals } = await readStatement(store, tenantId, month);
    const before = { period, currency: 'usd' as const };
    return streamLines({ before, lines, after: () => ({ total_cents: String(totals().total_cents) }) });
  },
});
