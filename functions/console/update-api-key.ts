import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { type ApiKeyId, parseId } from '../../shared/base/ids.ts';
import { ApiError } from '../../shared/errors.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { apiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key-view.ts';
import { type ApiKeyChange, changeApiKey, loadApiKey } from '../../shared/tenancy/api-keys.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseActions, parseFirewall, parseKeyList } from '../../shared/tenancy/restrictions.ts';

const body = z.strictObject({
  name: z.string().optional(),
  allowed_actions: z.array(z.string()).nullish(),
  key_ids: z.array(z.string()).nullish(),
  firewall_id: z.string().nullish(),
});

export const updateApiKeyRoute = resourceRoute({
  id: 'update_api_key',
  method: 'PATCH',
  path: '/v1/api-keys/{id}',
  summary: 'Rename an API key or change what it is held to; null lifts a key list or a firewall',
  admits: CONSOLE,
  pathId: parseId<ApiKeyId>,
  takes: jsonBody(body),
  refuses: ['invalid_name', 'invalid_allowed_actions', 'invalid_key_ids', 'invalid_firewall'],
  status: 200,
  answer: apiKeyAnswer,
  async handle({ env, caller, id, input }) {
    const { container_id } = await loadApiKey(env, caller.tenantId, id);
    const change: ApiKeyChange = {};
    if (input.name !== undefined) {
      refuseName(input.name);
      change.name = input.name;
    }
    if (input.allowed_actions !== undefined) {
      if (input.allowed_actions === null) throw new ApiError('invalid_allowed_actions', 'allowed_actions is a list');
      change.allowed_actions = parseActions(input.allowed_actions);
    }
    if (input.key_ids !== undefined) {
      change.key_ids = input.key_ids === null ? null : await parseKeyList(env, container_id, input.key_ids);
    }
    if (input.firewall_id !== undefined) {
      const named = input.firewall_id;
      change.firewall_id = named === null ? null : await parseFirewall(env, container_id, named);
    }
    return viewApiKey(await changeApiKey(env, caller.tenantId, id, change));
  },
});
