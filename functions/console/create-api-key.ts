import { z } from 'zod';
import { logWeakening } from '../../shared/audit/log-weakening.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import {
  actionsField,
  containerField,
  expiryField,
  federationsField,
  firewallField,
  keyListField,
  nameField,
} from '../../shared/http/fields.ts';
import { NEW } from '../../shared/http/target.ts';
import { parseKeyList } from '../../shared/keys/key-list.ts';
import { newApiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key.ts';
import { mintApiKey } from '../../shared/tenancy/api-keys.ts';
import { parseExpiry } from '../../shared/tenancy/expiry.ts';
import { parseFederations } from '../../shared/tenancy/federation.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { resolveContainer } from '../../shared/tenancy/placement.ts';
import { parseActions, parseFirewall } from '../../shared/tenancy/restrictions.ts';
import { needs } from '../needs.ts';
import { notingRepeats } from './federations-body.ts';

const newApiKey = z.object({
  name: nameField.meta({ examples: ['shop'] }),
  container_id: containerField,
  allowed_actions: actionsField,
  key_ids: keyListField,
  firewall_id: firewallField,
  expires_at: expiryField,
  federations: federationsField,
  without_token: z
    .boolean()
    .nullish()
    .describe('`true` makes an API key without a token, which only workloads can use.'),
});

/** Answers 201. The service stores only an Argon2id hash of the secret, so it cannot show the token again. */
export const createApiKeyRoute = needs('store', 'clock', 'log', 'creations', 'secrets', 'config').changeRoute({
  id: 'create_api_key',
  operation: 'create_api_key',
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Create an API key',
  description:
    'Creates an API key in a container. The response contains its token, which is shown only once. Without `allowed_actions`, the API key can neither use nor manage keys.',
  tag: 'API keys',
  admits: CONSOLE,
  target: NEW,
  takes: jsonBody(newApiKey, notingRepeats),
  refuses: [
    'invalid_name',
    'invalid_container',
    'invalid_allowed_actions',
    'invalid_key_ids',
    'invalid_firewall',
    'invalid_expires_at',
    'invalid_federations',
    'limit_reached',
  ],
  status: 201,
  answer: newApiKeyAnswer,
  async handle(services, { origin, caller, input, record }) {
    refuseName(input.name);
    const containerId = await resolveContainer(services.store, caller, input.container_id);
    const allowedActions = input.allowed_actions == null ? null : parseActions(input.allowed_actions);
    const keyIds = input.key_ids == null ? null : await parseKeyList(services.store, containerId, input.key_ids);
    const firewallId =
      input.firewall_id == null ? null : await parseFirewall(services.store, containerId, input.firewall_id);
    const expiresAt = parseExpiry(services.clock, input.expires_at ?? null);
    const federations =
      input.federations == null ? null : parseFederations(input.federations, services.config.workloadIssuers);
    const hasToken = input.without_token !== true;
    const restrictions = { allowedActions, keyIds, firewallId, expiresAt, federations, hasToken };
    const wanted = { tenantId: caller.tenantId, containerId, name: input.name, ...restrictions };
    const { apiKey, token } = await mintApiKey(services, wanted, record);
    if (apiKey.allowed_actions.length > 0) logWeakening(services, 'API key access widened', origin, apiKey.id);
    return { ...viewApiKey(apiKey), token };
  },
});
