import { CONSOLE } from '../../shared/auth/caller.ts';
import { type ApiKeyId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { apiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key-view.ts';
import { loadApiKey } from '../../shared/tenancy/api-keys.ts';

export const getApiKeyRoute = resourceRoute({
  id: 'get_api_key',
  method: 'GET',
  path: '/v1/api-keys/{id}',
  summary: 'Get a live API key',
  admits: CONSOLE,
  pathId: parseId<ApiKeyId>,
  takes: nothing,
  status: 200,
  answer: apiKeyAnswer,
  async handle({ env, caller, id }) {
    return viewApiKey(await loadApiKey(env, caller.tenantId, id));
  },
});
