import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { apiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key.ts';
import { loadApiKey } from '../../shared/tenancy/api-keys.ts';
import { needs } from '../needs.ts';
import { API_KEY } from './targets.ts';

export const getApiKeyRoute = needs('store').resourceRoute({
  id: 'get_api_key',
  method: 'GET',
  path: '/v1/api-keys/{id}',
  summary: 'Get an API key',
  description: 'Returns an API key without its token. For a revoked API key, the error is `not_found`.',
  tag: 'API keys',
  admits: CONSOLE,
  target: API_KEY,
  takes: nothing,
  status: 200,
  answer: apiKeyAnswer,
  async handle({ store }, { caller, id }) {
    return viewApiKey(await loadApiKey(store, caller.tenantId, id));
  },
});
