import type { Clock } from '../base/clock.ts';
import { type Id, parseId, type TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import type { SessionCaller } from '../tenancy/caller.ts';

export interface Target<PathId extends Id<string> | null> {
  /** Returns the ID in the path: `null` if the route has no ID, `undefined` if the ID is invalid. */
  readonly parse: (pathId: string) => PathId | undefined;
  /** Returns the ID for the audit row of a refused change, or `null`. Throws `not_found` for another tenant's ID. */
  find(
    services: { readonly store: Store; readonly clock: Clock },
    caller: SessionCaller,
    id: PathId,
  ): Promise<Id<string> | null>;
}

/** The target of a route with an id in its path. `load` throws `not_found` for another tenant's resource. */
export function named<TargetId extends Id<string>>(
  load: (
    services: { readonly store: Store; readonly clock: Clock },
    tenantId: TenantId,
    id: TargetId,
  ) => Promise<unknown>,
): Target<TargetId> {
  return {
    parse: parseId<TargetId>,
    async find(services, { tenantId }, id) {
      await load(services, tenantId, id);
      return id;
    },
  };
}

/** The target of a route that creates a resource. */
export const NEW: Target<null> = { parse: () => null, find: async () => null };

export const TENANT: Target<null> = { parse: () => null, find: async (_, { tenantId }) => tenantId };
