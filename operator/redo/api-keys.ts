import { isDeepStrictEqual } from 'node:util';
import { API_KEYS, type ApiKey } from '../../shared/tenancy/api-key.ts';
import { type ApiKeyChange, changeApiKey, revokeApiKey } from '../../shared/tenancy/api-keys.ts';
import { FIREWALLS } from '../../shared/tenancy/firewall.ts';
import { type LineOf, type PlanChange, type RedoServices, recording } from './change.ts';

export function revocation({ tenant_id, target_id: id }: LineOf<'API key revoked'>): PlanChange {
  return async (services) => {
    const apiKey = await services.store.find(API_KEYS, id);
    if (apiKey?.tenant_id !== tenant_id) return 'not in the store';
    if (apiKey.revoked_at !== null) return 'already so';
    return () => revokeApiKey(services, tenant_id, id, recording(services, tenant_id, 'revoke_api_key'));
  };
}

export function restriction(line: LineOf<'API key access restricted'>): PlanChange {
  const { tenant_id, target_id: id } = line;
  return async (services) => {
    const apiKey = await services.store.find(API_KEYS, id);
    if (apiKey?.tenant_id !== tenant_id) return 'not in the store';
    const change = await changeTo(services, line);
    if (apiKey.revoked_at !== null || hasChange(apiKey, change)) return 'already so';
    return async () => {
      await changeApiKey(services, tenant_id, id, change, recording(services, tenant_id, 'update_api_key'));
      if (change.firewall_id === undefined)
        services.tell(`API key ${id} lost all its actions: its firewall was created after the backup`);
    };
  };
}

/**
 * Returns the change of an API key. If the backup lacks the firewall of the API key, the API key loses all actions,
 * because without a firewall it would work from every address.
 */
async function changeTo(
  { store }: RedoServices,
  { allowed_actions, key_ids, firewall_id, expires_at, federations }: LineOf<'API key access restricted'>,
): Promise<ApiKeyChange> {
  const exists = firewall_id === null || (await store.find(FIREWALLS, firewall_id)) !== undefined;
  const workloads = { ...(expires_at !== undefined && { expires_at }), ...(federations && { federations }) };
  return exists
    ? { allowed_actions, key_ids, firewall_id, ...workloads }
    : { allowed_actions: [], key_ids, ...workloads };
}

function hasChange(apiKey: ApiKey, change: ApiKeyChange): boolean {
  return isDeepStrictEqual(apiKey, { ...apiKey, ...change });
}
