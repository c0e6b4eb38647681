import type { TenantId } from '../../shared/base/ids.ts';
import { KEYS } from '../../shared/keys/key.ts';
import { FILLING_STATES } from '../../shared/keys/list.ts';
import { nameClaimOf } from '../../shared/lifecycle/claims.ts';
import type { Store } from '../../shared/store/store.ts';
import { CONTAINERS } from '../../shared/tenancy/container.ts';
import { containerClaim } from '../../shared/tenancy/containers.ts';
import { FIREWALLS } from '../../shared/tenancy/firewall.ts';
import { firewallClaim } from '../../shared/tenancy/firewalls.ts';

/** An object with a unique name, and the claim that its name requires. */
export interface Named {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly claim: string;
}

type Find = (store: Store, ids: readonly string[]) => Promise<(Named | undefined)[]>;

/**
 * For each kind, a function that returns the objects with these ids, in order, and `undefined` for an object that holds
 * no name.
 */
const FIND = {
  key: async (store, ids) =>
    (await store.findAll(KEYS, ids)).map((key) =>
      key !== undefined && FILLING_STATES.some((state) => state === key.state)
        ? { id: key.id, tenantId: key.tenant_id, claim: nameClaimOf(key) }
        : undefined,
    ),
  container: async (store, ids) =>
    (await store.findAll(CONTAINERS, ids)).map(
      (found) => found && { id: found.id, tenantId: found.tenant_id, claim: containerClaim(found) },
    ),
  firewall: async (store, ids) =>
    (await store.findAll(FIREWALLS, ids)).map(
      (found) => found && { id: found.id, tenantId: found.tenant_id, claim: firewallClaim(found) },
    ),
} satisfies Record<string, Find>;

export type NamedKind = keyof typeof FIND;

/** Returns the kind of object that holds a claim. In the claim's id, the kind follows the scope of the name. */
export function kindOf(claimId: string): NamedKind | undefined {
  const kind = claimId.split(':')[1];
  return kind === 'key' || kind === 'container' || kind === 'firewall' ? kind : undefined;
}

/**
 * Finds the objects with these ids, in order. Returns `undefined` for an object that does not exist or holds no name.
 */
export function findNamed(store: Store, kind: NamedKind, ids: readonly string[]): Promise<(Named | undefined)[]> {
  return FIND[kind](store, ids);
}
