import { z } from 'zod';
import { logWeakening } from '../../shared/audit/log-weakening.ts';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { ApiError } from '../../shared/errors.ts';
import { jsonBody } from '../../shared/http/body.ts';
import {
  actionsField,
  expiryField,
  federationsField,
  firewallField,
  keyListField,
  nameField,
  withoutNull,
} from '../../shared/http/fields.ts';
import { parseKeyList } from '../../shared/keys/key-list.ts';
import { apiKeyAnswer, viewApiKey } from '../../shared/tenancy/api-key.ts';
import { type ApiKeyChange, changeApiKey, loadApiKey } from '../../shared/tenancy/api-keys.ts';
import { parseExpiry } from '../../shared/tenancy/expiry.ts';
import { invalidFederations, parseFederations } from '../../shared/tenancy/federation.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { parseActions, parseFirewall } from '../../shared/tenancy/restrictions.ts';
import { widensAccess } from '../../shared/tenancy/weakening.ts';
import { needs } from '../needs.ts';
import { notingRepeats } from './federations-body.ts';
import { API_KEY } from './targets.ts';

/** Unknown fields are an error, unlike on most routes: a misspelled restriction must not be ignored. */
const changes = z.strictObject({
  name: nameField.meta({ examples: ['shop'] }).optional(),
  allowed_actions: actionsField.meta({ override: withoutNull }),
  key_ids: keyListField.describe('`null` removes the key list.'),
  firewall_id: firewallField.describe('`null` removes the firewall.'),
  expires_at: expiryField,
  federations: federationsField
    .meta({ override: withoutNull })
    .describe('Replaces the list of workloads that can use the API key.'),
});

export const updateApiKeyRoute = needs('store', 'clock', 'log', 'config').changeRoute({
  id: 'update_api_key',
  operation: 'update_api_key',
  method: 'PATCH',
  path: '/v1/api-keys/{id}',
  summary: 'Update an API key',
  description:
    'Changes the name, allowed actions, key list, firewall, expiry or federations of an API key. Omitted fields and the token do not change.',
  tag: 'API keys',
  admits: CONSOLE,
  target: API_KEY,
  takes: jsonBody(changes, notingRepeats),
  refuses: [
    'invalid_name',
    'invalid_allowed_actions',
    'invalid_key_ids',
    'invalid_firewall',
    'invalid_expires_at',
    'invalid_federations',
    'limit_reached',
  ],
  status: 200,
  answer: apiKeyAnswer,
  async handle(services, { origin, caller, id, input, record }) {
    const { container_id, expires_at } = await loadApiKey(services.store, caller.tenantId, id);
    const change: ApiKeyChange = {};
    if (input.name !== undefined) {
      refuseName(input.name);
      change.name = input.name;
    }
    if (input.allowed_actions !== undefined) {
      if (input.allowed_actions === null)
        throw new ApiError('invalid_allowed_actions', 'allowed_actions must be a list of actions');
      change.allowed_actions = parseActions(input.allowed_actions);
    }
    if (input.key_ids !== undefined) {
      change.key_ids = input.key_ids === null ? null : await parseKeyList(services.store, container_id, input.key_ids);
    }
    if (input.firewall_id !== undefined) {
      const named = input.firewall_id;
      change.firewall_id = named === null ? null : await parseFirewall(services.store, container_id, named);
    }
    if (input.expires_at !== undefined) change.expires_at = parseExpiry(services.clock, input.expires_at, expires_at);
    if (input.federations !== undefined) {
      if (input.federations === null) throw invalidFederations('federations must be a list, which may be empty');
      change.federations = parseFederations(input.federations, services.config.workloadIssuers);
    }
    const changed = await changeApiKey(services, caller.tenantId, id, change, record);
    if (widensAccess(changed)) logWeakening(services, 'API key access widened', origin, id);
    return viewApiKey(changed.after);
  },
});
