import { CONSOLE } from '../../shared/auth/caller.ts';
import { type ApiKeyId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { revokeApiKey } from '../../shared/tenancy/api-keys.ts';

export const revokeApiKeyRoute = resourceRoute({
  id: 'revoke_api_key',
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  summary: 'Revoke an API key at once',
  admits: CONSOLE,
  pathId: parseId<ApiKeyId>,
  takes: nothing,
  status: 204,
  handle: ({ env, caller, id }) => revokeApiKey(env, caller.tenantId, id),
});
