import { z } from 'zod';
import { eventAnswer, viewEvent } from '../../shared/audit/view.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { readEntries } from '../../shared/sealing/read.ts';
import { needs } from '../needs.ts';
import { partQuery } from './sealed-log.ts';

/** The sealed rows of the audit log. `GET /v1/audit` also returns rows that are not sealed yet. */
export const readAuditEntriesRoute = needs('store').route({
  id: 'read_audit_entries',
  method: 'GET',
  path: '/v1/audit/entries',
  summary: 'List sealed audit events',
  description:
    'Returns sealed events in log order, starting at a position. Compare them with the seals to verify the log.',
  tag: 'Audit and usage',
  feature: 'sealing',
  admits: CONSOLE,
  takes: partQuery,
  status: 200,
  answer: z.array(eventAnswer.nullable()).describe('In log order. `null` marks an event whose row is missing.'),
  isReport: true,
  async handle({ store }, { caller: { tenantId }, input }) {
    const entries = await readEntries(store, tenantId, input);
    return entries.map((entry) => (entry === undefined ? null : viewEvent(entry)));
  },
});
