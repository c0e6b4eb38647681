import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { readRestorations } from '../../shared/sealing/read.ts';
import { needs } from '../needs.ts';
import { partQuery } from './sealed-log.ts';

export const readAuditRestorationsRoute = needs('store').route({
  id: 'read_audit_restorations',
  method: 'GET',
  path: '/v1/audit/restorations',
  summary: 'List the restorations of the audit log',
  description:
    'Returns signed statements, starting at a position. Each says that the audit log was restored from a backup, and which entries were lost.',
  tag: 'Audit and usage',
  feature: 'sealing',
  admits: CONSOLE,
  takes: partQuery,
  status: 200,
  answer: z.array(z.string().describe('A signed statement, as in C2SP signed-note.')).describe('Oldest first.'),
  isReport: true,
  async handle({ store }, { caller: { tenantId }, input }) {
    return readRestorations(store, tenantId, input);
  },
});
