import { z } from 'zod';
import { type ApiKeyId, type ContainerId, type FirewallId, idSchema, type KeyId, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import { actionSchema } from './actions.ts';

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
