import { CONSOLE } from '../../shared/auth/admission.ts';
import { type ApiKeyId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceChangeRoute } from '../../shared/http/pipeline.ts';
import type { Services } from '../../shared/services.ts';
import { loadApiKey, revokeApiKey } from '../../shared/tenancy/api-keys.ts';

export const revokeApiKeyRoute = resourceChangeRoute({
  id: 'revoke_api_key',
  operation: 'revoke_api_key',
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  summary: 'Revoke an API key',
  description: 'Revokes an API key. Its token no longer works, and this cannot be undone.',
  tag: 'API keys',
  admits: CONSOLE,
  find: ({ store }, tenantId, id) => loadApiKey(store, tenantId, id),
  pathId: parseId<ApiKeyId>,
  takes: nothing,
  status: 204,
  handle: (services: Pick<Services, 'store' | 'clock' | 'log'>, { caller, id, record }) =>
    revokeApiKey(services, caller.tenantId, id, record),
});
