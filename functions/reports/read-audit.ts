import { z } from 'zod';
import { readEventsOfTenant } from '../../shared/audit/read.ts';
import { eventAnswer, viewEvent } from '../../shared/audit/view.ts';
import { tenantWindowQuery } from '../../shared/audit/window.ts';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';

export const readAuditRoute = plainRoute({
  id: 'read_audit',
  method: 'GET',
  path: '/v1/audit',
  summary: "The tenant's audit events, newest first; failed creations included",
  admits: CONSOLE,
  takes: tenantWindowQuery,
  status: 200,
  answer: z.array(eventAnswer),
  async handle({ env, caller, input }) {
    return (await readEventsOfTenant(env, caller.tenantId, input)).map(viewEvent);
  },
});
