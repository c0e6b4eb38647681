import { z } from 'zod';
import { EITHER } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { takeReportTurn } from '../../shared/http/report-turn.ts';
import { listKeys } from '../../shared/keys/list.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';

export const listKeysRoute = plainRoute({
  method: 'GET',
  path: '/v1/keys',
  summary: 'List the live keys that the caller may see, oldest first',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: z.array(keyAnswer),
  async handle({ env, caller }) {
    return (await takeReportTurn(env, caller.tenantId, () => listKeys(env, caller))).map(viewKey);
  },
});
