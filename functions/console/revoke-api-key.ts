import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { revokeApiKey } from '../../shared/tenancy/api-keys.ts';
import { needs } from '../needs.ts';
import { API_KEY } from './targets.ts';

export const revokeApiKeyRoute = needs('store', 'clock', 'log').changeRoute({
  id: 'revoke_api_key',
  operation: 'revoke_api_key',
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  summary: 'Revoke an API key',
  description: 'Revokes an API key. Its token no longer works, and this cannot be undone.',
  tag: 'API keys',
  admits: CONSOLE,
  target: API_KEY,
  takes: nothing,
  status: 204,
  handle: (services, { caller, id, record }) => revokeApiKey(services, caller.tenantId, id, record),
});
