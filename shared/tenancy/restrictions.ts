import { type ContainerId, type FirewallId, parseId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { ACTIONS, type Action } from '../operations.ts';
import type { Store } from '../store/store.ts';
import { FIREWALLS } from './firewall.ts';

/** Returns the actions without duplicates. Throws `invalid_allowed_actions` for an unknown one. */
export function parseActions(names: readonly string[]): Action[] {
  const known = ACTIONS.filter((action) => names.includes(action));
  if (names.every((name) => known.some((action) => action === name))) return known;
  throw new ApiError('invalid_allowed_actions', `allowed_actions can contain only ${ACTIONS.join(', ')}`);
}

/** Returns the id of a firewall. Throws `invalid_firewall` unless the firewall is in the container. */
export async function parseFirewall(store: Store, containerId: ContainerId, text: string): Promise<FirewallId> {
  const id = parseId<FirewallId>(text);
  const firewall = id && (await store.find(FIREWALLS, id));
  if (firewall?.container_id === containerId) return firewall.id;
  throw invalidFirewall();
}

export function invalidFirewall(): ApiError {
  return new ApiError('invalid_firewall', "firewall_id is not a firewall in the api key's container");
}
