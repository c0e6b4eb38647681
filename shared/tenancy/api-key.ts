import { z } from 'zod';
import { viewInstant, viewOptionalInstant } from '../base/clock.ts';
import { type ApiKeyId, type ContainerId, type FirewallId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { actionSchema } from '../operations.ts';
import { collection, instantField } from '../store/collection.ts';
import { farTimeField } from '../store/far-time.ts';
import type { Query } from '../store/query.ts';
import { federationsField, viewFederation } from './federation.ts';
import { tokenPrefix } from './token.ts';

const apiKey = z.object({
  id: idSchema<ApiKeyId>(),
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  name: z.string(),
  secret_hash: z.string(),
  allowed_actions: z.array(actionSchema),
  key_ids: z.array(idSchema<KeyId>()).nullable(),
  firewall_id: idSchema<FirewallId>().nullable(),
  created_at: instantField,
  last_used_at: instantField.nullable(),
  revoked_at: instantField.nullable(),
  expires_at: farTimeField.nullable().default(null),
  federations: federationsField.default([]),
  /** Without a token, nobody knows the secret of `secret_hash`. */
  has_token: z.boolean().default(true),
});

export type ApiKey = z.output<typeof apiKey>;

/** `apiKeys/{API key id}`. The token's prefix encodes the id. */
export const API_KEYS = collection('apiKeys', apiKey);
/** A tenant's API keys by `revoked_at`. The value `null` selects live API keys. */
export const API_KEYS_OF_TENANT: Query<ApiKey> = { from: API_KEYS, equal: ['tenant_id', 'revoked_at'] };
export const API_KEYS_OF_CONTAINER: Query<ApiKey> = { from: API_KEYS, equal: ['container_id', 'revoked_at'] };
export const API_KEYS_OF_FIREWALL: Query<ApiKey> = { from: API_KEYS, equal: ['firewall_id', 'revoked_at'] };

const federationAnswer = z
  .object({
    issuer: z.string().describe('The issuer of the ID tokens, one of `workload_issuers` in `GET /v1/sign-in`.'),
    claims: z
      .record(z.string(), z.union([z.string(), z.int(), z.boolean()]))
      .describe('The claims that an ID token must have, with exactly these values.'),
  })
  .meta({ id: 'Federation', description: 'A workload that can use an API key with its ID tokens.' });

export const apiKeyAnswer = z
  .object({
    id: z.uuid().describe('The ID of the API key.'),
    name: z.string().describe('The name of the API key.'),
    prefix: z
      .string()
      .nullable()
      .describe('The part of the token that identifies the API key. It is not secret. `null` without a token.'),
    container_id: z.uuid().describe('The container whose keys the API key can reach.'),
    allowed_actions: z.array(actionSchema).describe('What the API key may do with keys.'),
    key_ids: z
      .array(z.uuid())
      .nullable()
      .describe('The only keys that the API key may use; `null` allows all keys of its container.'),
    firewall_id: z
      .uuid()
      .nullable()
      .describe('The firewall with the networks that the API key may be used from, or `null`.'),
    created_at: z.iso.datetime().describe('When the API key was created.'),
    last_used_at: z.iso.datetime().nullable().describe('When the API key was last used, or `null`.'),
    expires_at: z.iso
      .datetime()
      .nullable()
      .describe('From when on the API key does not work, or `null` if it does not expire.'),
    federations: z.array(federationAnswer).describe('The workloads that can use the API key with their ID tokens.'),
    has_token: z.boolean().describe('Whether the API key has a token. Without one, only workloads can use it.'),
  })
  .meta({ id: 'ApiKey' });

/** The answer to the creation of an API key. No other answer contains the token. */
export const newApiKeyAnswer = apiKeyAnswer
  .extend({
    token: z
      .string()
      .nullable()
      .describe('The token of the API key. It is shown only once, in this response. `null` without a token.'),
  })
  .meta({ id: 'NewApiKey' });

export function viewApiKey(apiKey: ApiKey): z.input<typeof apiKeyAnswer> {
  return {
    id: apiKey.id,
    name: apiKey.name,
    prefix: apiKey.has_token ? tokenPrefix(apiKey.id) : null,
    container_id: apiKey.container_id,
    allowed_actions: apiKey.allowed_actions,
    key_ids: apiKey.key_ids,
    firewall_id: apiKey.firewall_id,
    created_at: viewInstant(apiKey.created_at),
    last_used_at: viewOptionalInstant(apiKey.last_used_at),
    expires_at: apiKey.expires_at,
    federations: apiKey.federations.map(viewFederation),
    has_token: apiKey.has_token,
  };
}
