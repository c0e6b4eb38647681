import { z } from 'zod';
import { eventAnswer, viewEvent } from '../../shared/audit/view.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { readEntries } from '../../shared/sealing/read.ts';
import { partQuery } from './sealed-log.ts';

export const readAuditEntriesRoute = route({
  id: 'read_audit_entries',
  method: 'GET',
  path: '/v1/audit/entries',
  summary: 'The sealed audit events from an entry on, in the order of the tree; null where one is gone',
  admits: CONSOLE,
  takes: partQuery,
  status: 200,
  answer: z.array(eventAnswer.nullable()),
  async handle({ store, reports }: ReportNeeds, { caller: { tenantId }, input }) {
    const entries = await reports.take(tenantId, () => readEntries(store, tenantId, input));
    return entries.map((entry) => (entry === undefined ? null : viewEvent(entry)));
  },
});
