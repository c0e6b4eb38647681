import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { listKeys } from '../../shared/keys/list.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';

export const listKeysRoute = route({
  id: 'list_keys',
  method: 'GET',
  path: '/v1/keys',
  summary: 'List the live keys that the caller may see, oldest first',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: z.array(keyAnswer),
  async handle({ store, reports }: ReportNeeds, { caller }) {
    return (await reports.take(caller.tenantId, () => listKeys(store, caller))).map(viewKey);
  },
});
