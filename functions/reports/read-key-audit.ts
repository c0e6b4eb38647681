import { z } from 'zod';
import { readEventsOfKey } from '../../shared/audit/read.ts';
import { eventAnswer, viewEvent } from '../../shared/audit/view.ts';
import { windowQuery } from '../../shared/audit/window.ts';
import { EITHER } from '../../shared/auth/caller.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';

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
  async handle({ env, key, input }) {
    return (await readEventsOfKey(env, key.id, input)).map(viewEvent);
  },
});
