import { makeSecret, viewToken } from '../auth/token.ts';
import {
  type ApiKeyId,
  type ContainerId,
  type FirewallId,
  type KeyId,
  makeId,
  parseId,
  type TenantId,
} from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError, notFound } from '../errors.ts';
import { isLive, KEYS } from '../keys/key.ts';
import { isNotFound } from '../store/store.ts';
import { ACTIONS, type Action } from './actions.ts';
import { API_KEYS, API_KEYS_OF_TENANT, type ApiKey } from './api-key.ts';
import { CONTAINERS } from './container.ts';
import { FIREWALLS } from './firewall.ts';
import { invalidContainer } from './placement.ts';

const KEY_LIST_LENGTH = 100;

/** What a new API key is to be. */
export interface NewApiKey {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly name: string;
  readonly allowedActions: readonly Action[];
  readonly keyIds: readonly KeyId[] | null;
  readonly firewallId: FirewallId | null;
}

/** Mints an API key. The token is returned here and nowhere else. Throws `unavailable` when too many are being made. */
export async function mintApiKey(env: Env, wanted: NewApiKey): Promise<{ apiKey: ApiKey; token: string }> {
  const secret = makeSecret();
  const apiKey: ApiKey = {
    id: makeId<ApiKeyId>(),
    tenant_id: wanted.tenantId,
    container_id: wanted.containerId,
    name: wanted.name,
    secret_hash: await env.secrets.hash(secret),
    allowed_actions: [...wanted.allowedActions],
    key_ids: wanted.keyIds === null ? null : [...wanted.keyIds],
    firewall_id: wanted.firewallId,
    created_at: env.clock.now(),
    last_used_at: null,
    revoked_at: null,
  };
  try {
    await env.store.write((writes) => {
      writes.setInstant(CONTAINERS, apiKey.container_id, 'filled_at', apiKey.created_at);
      writes.create(API_KEYS, apiKey.id, apiKey);
    });
  } catch (error) {
    throw isNotFound(error) ? invalidContainer() : error;
  }
  return { apiKey, token: viewToken({ apiKeyId: apiKey.id, secret }) };
}

/** The tenant's live API keys, oldest first. */
export async function listApiKeys(env: Env, tenantId: TenantId): Promise<ApiKey[]> {
  const apiKeys = await env.store.select(API_KEYS_OF_TENANT, { equal: [tenantId, null] });
  return apiKeys.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
}

/** A live API key of the tenant. Throws `not_found`. */
export async function loadApiKey(env: Env, tenantId: TenantId, id: ApiKeyId): Promise<ApiKey> {
  return liveOf(await env.store.find(API_KEYS, id), tenantId);
}

/** Revokes an API key: the next request that presents it is refused. Throws `not_found`. */
export function revokeApiKey(env: Env, tenantId: TenantId, id: ApiKeyId): Promise<void> {
  return env.store.transact(async (tx) => {
    const apiKey = liveOf(await tx.find(API_KEYS, id), tenantId);
    tx.replace(API_KEYS, id, { ...apiKey, revoked_at: env.clock.now() });
  });
}

/** The actions that the names spell, each once. Throws `invalid_allowed_actions` for any other name. */
export function parseActions(names: readonly string[]): Action[] {
  const known = ACTIONS.filter((action) => names.includes(action));
  if (names.every((name) => known.some((action) => action === name))) return known;
  throw new ApiError('invalid_allowed_actions', `allowed_actions may hold ${ACTIONS.join(', ')}`);
}

/** The key list that the ids spell, each once: 1 to 100 live keys of the container. Throws `invalid_key_ids`. */
export async function parseKeyList(env: Env, containerId: ContainerId, texts: readonly string[]): Promise<KeyId[]> {
  const ids = [...new Set(texts.map((text) => parseId<KeyId>(text)))];
  if (ids.length === 0 || ids.length > KEY_LIST_LENGTH) throw invalidKeyIds();
  return Promise.all(
    ids.map(async (id) => {
      const key = id && (await env.store.find(KEYS, id));
      if (key === undefined || !isLive(key) || key.container_id !== containerId) throw invalidKeyIds();
      return key.id;
    }),
  );
}

/** The firewall that the id names, one of the container's. Throws `invalid_firewall`. */
export async function parseFirewall(env: Env, containerId: ContainerId, text: string): Promise<FirewallId> {
  const id = parseId<FirewallId>(text);
  const firewall = id && (await env.store.find(FIREWALLS, id));
  if (firewall?.container_id === containerId) return firewall.id;
  throw new ApiError('invalid_firewall', "firewall_id names no firewall of the api key's container");
}

function liveOf(apiKey: ApiKey | undefined, tenantId: TenantId): ApiKey {
  if (apiKey === undefined || apiKey.tenant_id !== tenantId || apiKey.revoked_at !== null) throw notFound();
  return apiKey;
}

function invalidKeyIds(): ApiError {
  return new ApiError('invalid_key_ids', "key_ids takes 1 to 100 live keys of the api key's container");
}
