import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { apiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key-view.ts';
import { listApiKeys } from '../../shared/tenancy/api-keys.ts';

export const listApiKeysRoute = plainRoute({
  id: 'list_api_keys',
  method: 'GET',
  path: '/v1/api-keys',
  summary: "List the tenant's live API keys, oldest first",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(apiKeyAnswer),
  async handle({ env, caller }) {
    return (await listApiKeys(env, caller.tenantId)).map(viewApiKey);
  },
});
