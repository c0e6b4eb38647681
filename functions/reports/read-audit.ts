import { z } from 'zod';
import { eventAnswer } from '../../shared/audit/view.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { readEventPage } from './event-page.ts';
import { tenantWindowQuery } from './window-query.ts';

const PATH = '/v1/audit';

export const readAuditRoute = route({
  id: 'read_audit',
  method: 'GET',
  path: PATH,
  summary: "The tenant's audit events, newest first; failed creations included",
  admits: CONSOLE,
  takes: tenantWindowQuery,
  status: 200,
  answer: z.array(eventAnswer),
  paged: true,
  handle: ({ store }: ReportNeeds, { caller, input }) => readEventPage(store, caller.tenantId, PATH, input),
});
