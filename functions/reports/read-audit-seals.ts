import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { readSeals } from '../../shared/sealing/read.ts';
import { sealAnswer, viewSeal } from '../../shared/sealing/seals.ts';
import { needs } from '../needs.ts';
import { partQuery } from './sealed-log.ts';

export const readAuditSealsRoute = needs('store').route({
  id: 'read_audit_seals',
  method: 'GET',
  path: '/v1/audit/seals',
  summary: 'List the seals of the audit log',
  description:
    'Returns the signed sections of the audit log, starting at a position. Together with the entries, they prove that no event was changed or removed.',
  tag: 'Audit and usage',
  feature: 'sealing',
  admits: CONSOLE,
  takes: partQuery,
  status: 200,
  answer: z.array(sealAnswer).describe('Oldest first.'),
  isReport: true,
  async handle({ store }, { caller: { tenantId }, input }) {
    const seals = await readSeals(store, tenantId, input);
    return seals.map(viewSeal);
  },
});
