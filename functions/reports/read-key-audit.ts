import { z } from 'zod';
import { eventAnswer } from '../../shared/audit/view.ts';
import { EITHER } from '../../shared/auth/admission.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { readEventPage } from './event-page.ts';
import { windowQuery } from './window-query.ts';

export const readKeyAuditRoute = keyRoute({
  id: 'read_key_audit',
  method: 'GET',
  path: '/v1/keys/{id}/audit',
  summary: "A key's audit events, newest first; pending and destroyed keys included",
  admits: EITHER,
  destroyedToo: true,
  takes: windowQuery,
  status: 200,
  answer: z.array(eventAnswer),
  paged: true,
  handle: ({ store }: ReportNeeds, { key, input }) =>
    readEventPage(store, key.tenant_id, `/v1/keys/${key.id}/audit`, { ...input, filters: { key_id: key.id } }),
});
