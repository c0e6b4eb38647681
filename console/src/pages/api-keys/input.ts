import type { Action, ApiKey, Body, Federation, Key } from '../../../../client/src/index.ts';
import { localTime } from '../../parts/expiry.ts';
import { isSame } from '../../service/lists.ts';

export interface ApiKeyInput {
  readonly name: string;
  readonly container_id: string | null;
  readonly allowed_actions: Action[];
  readonly key_ids: string[] | null;
  readonly firewall_id: string | null;
  readonly expires_at: Date | null;
  readonly federations: Federation[];
}

/**
 * Returns the fields that the person changed. The service rejects a list that contains a destroyed key, so a changed
 * list omits destroyed keys. If only destroyed keys remain, the list is sent unchanged and the service rejects it.
 * Omitting the list instead would let the API key use every key.
 */
export function changeOf(before: ApiKey, input: ApiKeyInput, existing: readonly Key[]): Body<'update_api_key'> {
  const { name, allowed_actions, key_ids, firewall_id, expires_at, federations } = input;
  const left = key_ids?.filter((one) => existing.some(({ id }) => id === one)) ?? [];
  return {
    ...(name !== before.name && { name }),
    ...(!isSame(allowed_actions, before.allowed_actions) && { allowed_actions }),
    ...(!isSame(key_ids ?? [], before.key_ids ?? []) && { key_ids: left.length > 0 ? left : key_ids }),
    ...(firewall_id !== before.firewall_id && { firewall_id }),
    // The form shows minutes, so an unchanged time must not lose its seconds.
    ...(localTime(expires_at) !== localTime(before.expires_at) && { expires_at }),
    ...(JSON.stringify(federations) !== JSON.stringify(before.federations) && { federations }),
  };
}

/** Reads the federations from the form's field, which the console itself wrote. */
export function readFederations(text: string): Federation[] {
  const federations: unknown = JSON.parse(text || '[]');
  return Array.isArray(federations) ? federations.filter(isFederation) : [];
}

function isFederation(value: unknown): value is Federation {
  return typeof value === 'object' && value !== null && 'issuer' in value && 'claims' in value;
}
