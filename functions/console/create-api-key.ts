import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { newApiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key-view.ts';
import { mintApiKey } from '../../shared/tenancy/api-keys.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';
import { parseActions, parseFirewall, parseKeyList } from '../../shared/tenancy/restrictions.ts';

const body = z.object({
  name: z.string(),
  container_id: z.string().nullish(),
  allowed_actions: z.array(z.string()).nullish(),
  key_ids: z.array(z.string()).nullish(),
  firewall_id: z.string().nullish(),
});

export const createApiKeyRoute = plainRoute({
  id: 'create_api_key',
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Mint an API key; its token is shown once, here',
  admits: CONSOLE,
  takes: jsonBody(body),
  refuses: [
    'invalid_name',
    'invalid_container',
    'invalid_allowed_actions',
    'invalid_key_ids',
    'invalid_firewall',
    'limit_reached',
  ],
  status: 201,
  answer: newApiKeyAnswer,
  async handle({ env, caller, input }) {
    refuseName(input.name);
    const containerId = await placeIn(env, caller, input.container_id);
    const allowedActions = parseActions(input.allowed_actions ?? []);
    const keyIds = input.key_ids == null ? null : await parseKeyList(env, containerId, input.key_ids);
    const firewallId = input.firewall_id == null ? null : await parseFirewall(env, containerId, input.firewall_id);
    const wanted = { tenantId: caller.tenantId, containerId, name: input.name, allowedActions, keyIds, firewallId };
    const { apiKey, token } = await mintApiKey(env, wanted);
    return { ...viewApiKey(apiKey), token };
  },
});
