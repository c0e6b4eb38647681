import { type ContainerId, type FirewallId, type KeyId, parseId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { isLive, KEYS } from '../keys/key.ts';
import { ACTIONS, type Action } from './actions.ts';
import { FIREWALLS } from './firewall.ts';

const KEY_LIST_LENGTH = 100;

/** The actions that the names spell, each once. Throws `invalid_allowed_actions` for any other name. */
export function parseActions(names: readonly string[]): Action[] {
  const known = ACTIONS.filter((action) => names.includes(action));
  if (names.every((name) => known.some((action) => action === name))) return known;
  throw new ApiError('invalid_allowed_actions', `allowed_actions may hold ${ACTIONS.join(', ')}`);
}

/** The key list that the ids spell, each once: 1 to 100 entries, all live keys of the container. Throws `invalid_key_ids`. */
export async function parseKeyList(env: Env, containerId: ContainerId, texts: readonly string[]): Promise<KeyId[]> {
  if (texts.length === 0 || texts.length > KEY_LIST_LENGTH) throw invalidKeyIds();
  const ids = new Set(
    texts.map((text) => {
      const id = parseId<KeyId>(text);
      if (id === undefined) throw invalidKeyIds();
      return id;
    }),
  );
  const keys = await env.store.findAll(KEYS, [...ids]);
  return keys.map((key) => {
    if (key === undefined || !isLive(key) || key.container_id !== containerId) throw invalidKeyIds();
    return key.id;
  });
}

/** The firewall that the id names, one of the container's. Throws `invalid_firewall`. */
export async function parseFirewall(env: Env, containerId: ContainerId, text: string): Promise<FirewallId> {
  const id = parseId<FirewallId>(text);
  const firewall = id && (await env.store.find(FIREWALLS, id));
  if (firewall?.container_id === containerId) return firewall.id;
  throw invalidFirewall();
}

/** `400 invalid_firewall` */
export function invalidFirewall(): ApiError {
  return new ApiError('invalid_firewall', "firewall_id names no firewall of the api key's container");
}

function invalidKeyIds(): ApiError {
  return new ApiError('invalid_key_ids', "key_ids takes 1 to 100 live keys of the api key's container");
}
