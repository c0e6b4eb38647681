import { z } from 'zod';
import { eventAnswer } from '../../shared/audit/view.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { needs } from '../needs.ts';
import { readEventPage } from './event-page.ts';
import { tenantWindowQuery } from './window-query.ts';

const PATH = '/v1/audit';

export const readAuditRoute = needs('store').route({
  id: 'read_audit',
  method: 'GET',
  path: PATH,
  summary: 'List audit events of the tenant',
  description: 'Returns the events of the whole tenant in a time range, in pages. Filters can be combined.',
  tag: 'Audit and usage',
  admits: CONSOLE,
  takes: tenantWindowQuery,
  status: 200,
  answer: z.array(eventAnswer).describe('Newest first. Includes failed attempts to create a key.'),
  paged: true,
  isReport: true,
  handle: ({ store }, { caller, input }) => readEventPage(store, caller.tenantId, PATH, input),
});
