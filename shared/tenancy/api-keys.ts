import { byAge } from '../base/age.ts';
import type { Instant } from '../base/clock.ts';
import { type ApiKeyId, type ContainerId, type FirewallId, type KeyId, makeId, type TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { type ApiError, notFound } from '../errors.ts';
import { isNotFound } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Action } from './actions.ts';
import { API_KEYS, API_KEYS_OF_TENANT, type ApiKey } from './api-key.ts';
import { CONTAINERS } from './container.ts';
import { FIREWALLS } from './firewall.ts';
import { invalidContainer } from './placement.ts';
import { freePlaces, placeAmong, takePlaces } from './places.ts';
import { invalidFirewall } from './restrictions.ts';
import { makeSecret, viewToken } from './token.ts';

/** What a new API key is to be. */
export interface NewApiKey {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly name: string;
  readonly allowedActions: readonly Action[];
  readonly keyIds: readonly KeyId[] | null;
  readonly firewallId: FirewallId | null;
}

/** What may change of an API key. */
export type ApiKeyChange = Partial<Pick<ApiKey, 'name' | 'allowed_actions' | 'key_ids' | 'firewall_id'>>;

/**
 * Mints an API key. The token is returned here and nowhere else. Throws `limit_reached`, or `unavailable` when too many are
 * being made; `invalid_container` or `invalid_firewall` when that was deleted meanwhile.
 */
export async function mintApiKey(env: Env, wanted: NewApiKey): Promise<{ apiKey: ApiKey; token: string }> {
  const secret = makeSecret();
  const apiKey: ApiKey = {
    id: makeId<ApiKeyId>(),
    tenant_id: wanted.tenantId,
    container_id: wanted.containerId,
    name: wanted.name,
    secret_hash: await env.secrets.hash(wanted.tenantId, secret),
    allowed_actions: [...wanted.allowedActions],
    key_ids: wanted.keyIds === null ? null : [...wanted.keyIds],
    firewall_id: wanted.firewallId,
    created_at: env.clock.now(),
    last_used_at: null,
    revoked_at: null,
  };
  try {
    await takePlaces(env, {
      tenantId: apiKey.tenant_id,
      places: [placeAmong('api_keys')],
      write: (writes) => {
        writes.setInstant(CONTAINERS, apiKey.container_id, 'filled_at', apiKey.created_at);
        holdTo(writes, apiKey.firewall_id, apiKey.created_at);
        writes.create(API_KEYS, apiKey.id, apiKey);
      },
    });
  } catch (error) {
    throw isNotFound(error) ? await goneMeanwhile(env, apiKey) : error;
  }
  return { apiKey, token: viewToken({ apiKeyId: apiKey.id, secret }) };
}

/** The tenant's live API keys, oldest first. */
export async function listApiKeys(env: Env, tenantId: TenantId): Promise<ApiKey[]> {
  const apiKeys = await env.store.selectAll(API_KEYS_OF_TENANT, { equal: [tenantId, null] });
  return apiKeys.sort(byAge);
}

/** A live API key of the tenant. Throws `not_found`. */
export async function loadApiKey(env: Env, tenantId: TenantId, id: ApiKeyId): Promise<ApiKey> {
  return liveOf(await env.store.find(API_KEYS, id), tenantId);
}

/** Changes an API key: in force at its next request. Throws `not_found`, or `invalid_firewall` when that was deleted meanwhile. */
export async function changeApiKey(env: Env, tenantId: TenantId, id: ApiKeyId, change: ApiKeyChange): Promise<ApiKey> {
  try {
    return await env.store.transact(async (tx) => {
      const apiKey = liveOf(await tx.find(API_KEYS, id), tenantId);
      const changed = { ...apiKey, ...change };
      if (changed.firewall_id !== apiKey.firewall_id) holdTo(tx, changed.firewall_id, env.clock.now());
      tx.replace(API_KEYS, id, changed);
      return changed;
    });
  } catch (error) {
    throw isNotFound(error) ? invalidFirewall() : error;
  }
}

/** Revokes an API key: the next request that presents it is refused. Throws `not_found`. */
export function revokeApiKey(env: Env, tenantId: TenantId, id: ApiKeyId): Promise<void> {
  const now = env.clock.now();
  return env.store.transact(async (tx) => {
    const found = await tx.find(API_KEYS, id);
    // The answer to this very commit was lost.
    if (found?.revoked_at === now) return;
    tx.replace(API_KEYS, id, { ...liveOf(found, tenantId), revoked_at: now });
    freePlaces(tx, tenantId, 'api_keys');
  });
}

function liveOf(apiKey: ApiKey | undefined, tenantId: TenantId): ApiKey {
  if (apiKey === undefined || apiKey.tenant_id !== tenantId || apiKey.revoked_at !== null) throw notFound();
  return apiKey;
}

/** Holds an API key to a firewall: its document is written, so that a deletion of it under way notices, and fails a commit that comes too late. */
function holdTo(writes: Writes, firewallId: FirewallId | null, now: Instant): void {
  if (firewallId !== null) writes.setInstant(FIREWALLS, firewallId, 'held_at', now);
}

/** Why a new API key could not be put where it belongs: its container or its firewall was deleted meanwhile. */
async function goneMeanwhile(env: Env, { container_id }: ApiKey): Promise<ApiError> {
  return (await env.store.find(CONTAINERS, container_id)) === undefined ? invalidContainer() : invalidFirewall();
}
