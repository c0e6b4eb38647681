import { z } from 'zod';
import { viewInstant, viewOptionalInstant } from '../base/clock.ts';
import { type ApiKeyId, type ContainerId, type FirewallId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import { actionSchema } from './actions.ts';
import { tokenPrefix } from './token.ts';

const apiKey = z.object({
  id: idSchema<ApiKeyId>(),
  tenant_id: idSchema<TenantId>(),
  container_id: idSchema<ContainerId>(),
  name: z.string(),
  /** Argon2id of the secret, as a PHC string. */
  secret_hash: z.string(),
  allowed_actions: z.array(actionSchema),
  key_ids: z.array(idSchema<KeyId>()).nullable(),
  firewall_id: idSchema<FirewallId>().nullable(),
  created_at: instantField,
  last_used_at: instantField.nullable(),
  revoked_at: instantField.nullable(),
});

/** An API key as stored; a revoked one stays. */
export type ApiKey = z.output<typeof apiKey>;

/** `apiKeys/{API key id}`: the id is what the token's prefix spells, so a token names its record. */
export const API_KEYS = collection('apiKeys', apiKey);
/** A tenant's API keys that were revoked at a time; at none: its live ones. */
export const API_KEYS_OF_TENANT: Query<ApiKey> = { from: API_KEYS, equal: ['tenant_id', 'revoked_at'] };
/** The same of a container. */
export const API_KEYS_OF_CONTAINER: Query<ApiKey> = { from: API_KEYS, equal: ['container_id', 'revoked_at'] };
/** The same of those held to a firewall. */
export const API_KEYS_OF_FIREWALL: Query<ApiKey> = { from: API_KEYS, equal: ['firewall_id', 'revoked_at'] };

/** The API key object of the interface. */
export const apiKeyAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string(),
    container_id: z.uuid(),
    allowed_actions: z.array(actionSchema),
    key_ids: z.array(z.uuid()).nullable(),
    firewall_id: z.uuid().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });

/** The answer to an API key's creation: the only one that carries the token. */
export const newApiKeyAnswer = apiKeyAnswer.extend({ token: z.string() }).meta({ id: 'NewApiKey' });

/** An API key as its tenant sees it. */
export function viewApiKey(apiKey: ApiKey): z.input<typeof apiKeyAnswer> {
  return {
    id: apiKey.id,
    name: apiKey.name,
    prefix: tokenPrefix(apiKey.id),
    container_id: apiKey.container_id,
    allowed_actions: apiKey.allowed_actions,
    key_ids: apiKey.key_ids,
    firewall_id: apiKey.firewall_id,
    created_at: viewInstant(apiKey.created_at),
    last_used_at: viewOptionalInstant(apiKey.last_used_at),
  };
}
