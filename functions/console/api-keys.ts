import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import { type ApiKeyId, parseId } from '../../shared/base/ids.ts';
import { ApiError } from '../../shared/errors.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';
import { parseKeyList } from '../../shared/keys/key-list.ts';
import { apiKeyAnswer, newApiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key.ts';
import {
  type ApiKeyChange,
  changeApiKey,
  listApiKeys,
  loadApiKey,
  mintApiKey,
  revokeApiKey,
} from '../../shared/tenancy/api-keys.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import type { ChangeNeeds, MintingNeeds } from '../../shared/tenancy/needs.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';
import { parseActions, parseFirewall } from '../../shared/tenancy/restrictions.ts';

const newApiKey = z.object({
  name: z.string(),
  container_id: z.string().nullish(),
  allowed_actions: z.array(z.string()).nullish(),
  key_ids: z.array(z.string()).nullish(),
  firewall_id: z.string().nullish(),
});

const createApiKeyRoute = route({
  id: 'create_api_key',
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Mint an API key; its token is shown once, here',
  admits: CONSOLE,
  takes: jsonBody(newApiKey),
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
  async handle(needs: MintingNeeds, { caller, input }) {
    refuseName(input.name);
    const containerId = await placeIn(needs.store, caller, input.container_id);
    const allowedActions = parseActions(input.allowed_actions ?? []);
    const keyIds = input.key_ids == null ? null : await parseKeyList(needs.store, containerId, input.key_ids);
    const firewallId =
      input.firewall_id == null ? null : await parseFirewall(needs.store, containerId, input.firewall_id);
    const wanted = { tenantId: caller.tenantId, containerId, name: input.name, allowedActions, keyIds, firewallId };
    const { apiKey, token } = await mintApiKey(needs, wanted);
    return { ...viewApiKey(apiKey), token };
  },
});

const listApiKeysRoute = route({
  id: 'list_api_keys',
  method: 'GET',
  path: '/v1/api-keys',
  summary: "List the tenant's live API keys, oldest first",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(apiKeyAnswer),
  async handle(needs: ChangeNeeds, { caller }) {
    return (await listApiKeys(needs.store, caller.tenantId)).map(viewApiKey);
  },
});

const getApiKeyRoute = route({
  id: 'get_api_key',
  method: 'GET',
  path: '/v1/api-keys/{id}',
  summary: 'Get a live API key',
  admits: CONSOLE,
  pathId: parseId<ApiKeyId>,
  takes: nothing,
  status: 200,
  answer: apiKeyAnswer,
  async handle(needs: ChangeNeeds, { caller, id }) {
    return viewApiKey(await loadApiKey(needs.store, caller.tenantId, id));
  },
});

const changes = z.strictObject({
  name: z.string().optional(),
  allowed_actions: z.array(z.string()).nullish(),
  key_ids: z.array(z.string()).nullish(),
  firewall_id: z.string().nullish(),
});

const updateApiKeyRoute = route({
  id: 'update_api_key',
  method: 'PATCH',
  path: '/v1/api-keys/{id}',
  summary: 'Rename an API key or change what it is held to; null lifts a key list or a firewall',
  admits: CONSOLE,
  pathId: parseId<ApiKeyId>,
  takes: jsonBody(changes),
  refuses: ['invalid_name', 'invalid_allowed_actions', 'invalid_key_ids', 'invalid_firewall'],
  status: 200,
  answer: apiKeyAnswer,
  async handle(needs: ChangeNeeds, { caller, id, input }) {
    const { container_id } = await loadApiKey(needs.store, caller.tenantId, id);
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
      change.key_ids = input.key_ids === null ? null : await parseKeyList(needs.store, container_id, input.key_ids);
    }
    if (input.firewall_id !== undefined) {
      const named = input.firewall_id;
      change.firewall_id = named === null ? null : await parseFirewall(needs.store, container_id, named);
    }
    return viewApiKey(await changeApiKey(needs, caller.tenantId, id, change));
  },
});

const revokeApiKeyRoute = route({
  id: 'revoke_api_key',
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  summary: 'Revoke an API key at once',
  admits: CONSOLE,
  pathId: parseId<ApiKeyId>,
  takes: nothing,
  status: 204,
  handle: (needs: ChangeNeeds, { caller, id }) => revokeApiKey(needs, caller.tenantId, id),
});

/** What is done with API keys. */
export const apiKeyRoutes: readonly Route<IdentifyNeeds & MintingNeeds>[] = [
  createApiKeyRoute,
  listApiKeysRoute,
  getApiKeyRoute,
  updateApiKeyRoute,
  revokeApiKeyRoute,
];
