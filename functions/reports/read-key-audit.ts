import { z } from 'zod';
import { eventAnswer } from '../../shared/audit/view.ts';
import { EITHER } from '../../shared/auth/admission.ts';
import { needs } from '../needs.ts';
import { readEventPage } from './event-page.ts';
import { windowQuery } from './window-query.ts';

/** API keys may read the log of a key that they can reach. Only people may read the log of the tenant. */
export const readKeyAuditRoute = needs('store').keyRoute({
  id: 'read_key_audit',
  method: 'GET',
  path: '/v1/keys/{id}/audit',
  summary: 'List audit events of a key',
  description:
    'Returns the events of one key in a time range, in pages. It also works for keys that are pending deletion or destroyed.',
  tag: 'Audit and usage',
  admits: EITHER,
  destroyedToo: true,
  takes: windowQuery,
  status: 200,
  answer: z.array(eventAnswer).describe('Newest first. Also works for keys that are pending deletion or destroyed.'),
  paged: true,
  isReport: true,
  handle: ({ store }, { key, input }) =>
    readEventPage(store, key.tenant_id, `/v1/keys/${key.id}/audit`, { ...input, filters: { key_id: key.id } }),
});
