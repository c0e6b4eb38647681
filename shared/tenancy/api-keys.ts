import { isDeepStrictEqual } from 'node:util';
import { byAge, type Clock, type Instant } from '../base/clock.ts';
import type { FairQueue } from '../base/fair-queue.ts';
import { type ApiKeyId, type ContainerId, type FirewallId, type KeyId, makeId, type TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { type ApiError, notFound } from '../errors.ts';
import type { Action } from '../operations.ts';
import { isNotFound } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { API_KEYS, API_KEYS_OF_TENANT, type ApiKey } from './api-key.ts';
import { type Changed, reversed } from './changed.ts';
import { changedFields, type FieldChange, givenFields } from './changes.ts';
import { CONTAINERS } from './container.ts';
import { type Federation, federationBytes, isSameFederations, viewFederation } from './federation.ts';
import { countFederations, freeFederations, slotOfFederations } from './federation-space.ts';
import { FIREWALLS } from './firewall.ts';
import { invalidContainer } from './placement.ts';
import type { RecordChange } from './record-change.ts';
import { logRedo } from './redo-log.ts';
import { invalidFirewall } from './restrictions.ts';
import { freeSlots, slotAmong, takeSlots } from './slots.ts';
import { makeSecret, viewToken } from './token.ts';
import { widensAccess } from './weakening.ts';

export interface NewApiKey {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly name: string;
  /** Without a list, the API key has no actions. */
  readonly allowedActions: readonly Action[] | null;
  readonly keyIds: readonly KeyId[] | null;
  readonly firewallId: FirewallId | null;
  readonly expiresAt: string | null;
  /** `null` if none were given. */
  readonly federations: readonly Federation[] | null;
  readonly hasToken: boolean;
}

const CHANGEABLE = [
  'name',
  'allowed_actions',
  'key_ids',
  'firewall_id',
  'federations',
  'expires_at',
] as const satisfies readonly (keyof ApiKey)[];

export type ApiKeyChange = Partial<Pick<ApiKey, (typeof CHANGEABLE)[number]>>;

/**
 * Creates an API key and returns its token, which is not stored, or `null` if it has none. Throws `limit_reached`, `unavailable` under load, and
 * `invalid_container` or `invalid_firewall` if the container or the firewall was deleted meanwhile.
 */
export async function mintApiKey(
  services: {
    readonly store: Store;
    readonly clock: Clock;
    readonly creations: FairQueue;
    readonly secrets: { readonly hash: (tenantId: TenantId, secret: string) => Promise<string> };
  },
  wanted: NewApiKey,
  record: RecordChange,
): Promise<{ apiKey: ApiKey; token: string | null }> {
  const secret = makeSecret();
  const apiKey: ApiKey = {
    id: makeId<ApiKeyId>(),
    tenant_id: wanted.tenantId,
    container_id: wanted.containerId,
    name: wanted.name,
    secret_hash: await services.secrets.hash(wanted.tenantId, secret),
    allowed_actions: [...(wanted.allowedActions ?? [])],
    key_ids: wanted.keyIds === null ? null : [...wanted.keyIds],
    firewall_id: wanted.firewallId,
    created_at: services.clock.now(),
    last_used_at: null,
    revoked_at: null,
    expires_at: wanted.expiresAt,
    federations: [...(wanted.federations ?? [])],
    has_token: wanted.hasToken,
  };
  await takeSlots(services, {
    tenantId: apiKey.tenant_id,
    slots: [slotAmong('api_keys'), slotOfFederations(federationBytes(apiKey.federations))],
    gone: () => missingReference(services.store, apiKey),
    write: (writes) => {
      writes.setInstant(CONTAINERS, apiKey.container_id, 'filled_at', apiKey.created_at);
      touchFirewall(writes, apiKey.firewall_id, apiKey.created_at);
      writes.create(API_KEYS, apiKey.id, apiKey);
      record(writes, apiKey.id, fieldsGiven(wanted));
    },
  });
  return { apiKey, token: wanted.hasToken ? viewToken({ apiKeyId: apiKey.id, secret }) : null };
}

/** Returns the live API keys, oldest first. */
export async function listApiKeys(store: Store, tenantId: TenantId): Promise<ApiKey[]> {
  const apiKeys = await store.selectAll(API_KEYS_OF_TENANT, { equal: [tenantId, null] });
  return apiKeys.sort(byAge);
}

/** Throws `not_found` if the API key is revoked or belongs to another tenant. */
export async function loadApiKey(store: Store, tenantId: TenantId, id: ApiKeyId): Promise<ApiKey> {
  return liveOf(await store.find(API_KEYS, id), tenantId);
}

/**
 * Changes an API key. Writes nothing if nothing changes. Throws `not_found`, `limit_reached` for too many federations, or
 * `invalid_firewall` if the firewall was deleted.
 */
export async function changeApiKey(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  tenantId: TenantId,
  id: ApiKeyId,
  change: ApiKeyChange,
  record: RecordChange,
): Promise<Changed<ApiKey>> {
  try {
    return await store.transact(async (tx) => {
      const apiKey = liveOf(await tx.find(API_KEYS, id), tenantId);
      const after = { ...apiKey, ...change };
      if (isSameFederations(apiKey.federations, after.federations)) after.federations = apiKey.federations;
      const changed = { before: apiKey, after };
      if (isDeepStrictEqual(after, apiKey)) return changed;
      await countFederations(tx, changed);
      if (after.firewall_id !== apiKey.firewall_id) touchFirewall(tx, after.firewall_id, clock.now());
      tx.replace(API_KEYS, id, after);
      record(tx, id, changedFields({ before: shown(apiKey), after: shown(after) }, CHANGEABLE));
      if (widensAccess(reversed(changed))) logRestriction(tx, log, after);
      return changed;
    });
  } catch (error) {
    throw isNotFound(error) ? invalidFirewall() : error;
  }
}

/** Revokes an API key, from its next request on. Throws `not_found`. */
export function revokeApiKey(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  tenantId: TenantId,
  id: ApiKeyId,
  record: RecordChange,
): Promise<void> {
  return store.transact(async (tx) => {
    const apiKey = liveOf(await tx.find(API_KEYS, id), tenantId);
    tx.replace(API_KEYS, id, { ...apiKey, revoked_at: clock.now() });
    freeSlots(tx, tenantId, 'api_keys');
    freeFederations(tx, tenantId, federationBytes(apiKey.federations));
    record(tx, id);
    logRedo(tx, log, { message: 'API key revoked', tenant_id: tenantId, target_id: id });
  });
}

function fieldsGiven({ name, allowedActions, keyIds, firewallId, federations, expiresAt }: NewApiKey): FieldChange[] {
  return givenFields({
    name,
    allowed_actions: allowedActions,
    key_ids: keyIds,
    firewall_id: firewallId,
    federations: federations?.map(viewFederation),
    expires_at: expiresAt,
  });
}

/** Returns the API key with its federations as the API shows them. */
function shown(apiKey: ApiKey) {
  return { ...apiKey, federations: apiKey.federations.map(viewFederation) };
}

function logRestriction(writes: Writes, log: Log, apiKey: ApiKey): void {
  const { id, tenant_id, allowed_actions, key_ids, firewall_id, expires_at, federations } = apiKey;
  const message = 'API key access restricted';
  const state = { allowed_actions, key_ids, firewall_id, expires_at, federations };
  logRedo(writes, log, { message, tenant_id, target_id: id, ...state });
}

function liveOf(apiKey: ApiKey | undefined, tenantId: TenantId): ApiKey {
  if (apiKey === undefined || apiKey.tenant_id !== tenantId || apiKey.revoked_at !== null) throw notFound();
  return apiKey;
}

/** Writes to the firewall's document, so that a concurrent deletion of the firewall conflicts with this commit. */
function touchFirewall(writes: Writes, firewallId: FirewallId | null, now: Instant): void {
  if (firewallId !== null) writes.setInstant(FIREWALLS, firewallId, 'held_at', now);
}

async function missingReference(store: Store, { container_id }: ApiKey): Promise<ApiError> {
  return (await store.find(CONTAINERS, container_id)) === undefined ? invalidContainer() : invalidFirewall();
}
