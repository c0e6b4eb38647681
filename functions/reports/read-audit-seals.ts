import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { readSeals } from '../../shared/sealing/read.ts';
import { sealAnswer, viewSeal } from '../../shared/sealing/seals.ts';
import { partQuery } from './sealed-log.ts';

export const readAuditSealsRoute = route({
  id: 'read_audit_seals',
  method: 'GET',
  path: '/v1/audit/seals',
  summary: "The seals of the tenant's audit log from an index on, oldest first",
  admits: CONSOLE,
  takes: partQuery,
  status: 200,
  answer: z.array(sealAnswer),
  async handle({ store, reports }: ReportNeeds, { caller: { tenantId }, input }) {
    const seals = await reports.take(tenantId, () => readSeals(store, tenantId, input));
    return seals.map(viewSeal);
  },
});
