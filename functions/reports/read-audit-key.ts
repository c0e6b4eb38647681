import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { notFound } from '../../shared/errors.ts';
import { nothing } from '../../shared/http/input.ts';
import { loadLogKey } from '../../shared/sealing/log-key.ts';
import { formatVerifierKey } from '../../shared/transparency/verifier-key.ts';
import { needs } from '../needs.ts';

/** Answers in plain text: the name, id and public key in one line, as C2SP signed-note defines it. */
export const readAuditKeyRoute = needs('logKey').route({
  id: 'read_audit_key',
  method: 'GET',
  path: '/v1/audit/key',
  summary: "Get the sealed audit log's verifier key",
  description: "Returns the public key with which anyone can verify the signatures of the tenant's sealed audit log.",
  tag: 'Audit and usage',
  feature: 'sealing',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.string().describe('A verifier key, as in C2SP signed-note.'),
  plainText: true,
  async handle({ logKey }, { caller }) {
    if (logKey === undefined) throw notFound();
    return formatVerifierKey(await loadLogKey(logKey, caller.tenantId));
  },
});
