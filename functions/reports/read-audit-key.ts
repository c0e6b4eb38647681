import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import { loadLogKey } from '../../shared/sealing/log-key.ts';
import { formatVerifierKey } from '../../shared/transparency/verifier-key.ts';
import type { SealedLogNeeds } from './sealed-log.ts';

export const readAuditKeyRoute = route({
  id: 'read_audit_key',
  method: 'GET',
  path: '/v1/audit/key',
  summary: "The verifier key of the tenant's sealed audit log, as C2SP signed-note writes it",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.string(),
  plainText: true,
  handle: async ({ signer }: SealedLogNeeds, { caller }) =>
    formatVerifierKey(await loadLogKey(signer, caller.tenantId)),
});
