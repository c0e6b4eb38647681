import { type Id, parseId, type TenantId } from '../base/ids.ts';
import type { Services } from '../services.ts';
import type { SessionCaller } from '../tenancy/caller.ts';

/** What a route of the console is about, other than a key. */
export interface Target<PathId extends Id<string> | null> {
  /** The ID in the path: `null` if the path has none, `undefined` if nothing can have that ID. */
  readonly parse: (pathId: string) => PathId | undefined;
  /** The ID that a refused change is recorded with, `null` for none. Throws `not_found` unless it is the tenant's. */
  find(services: Pick<Services, 'store' | 'clock'>, caller: SessionCaller, id: PathId): Promise<Id<string> | null>;
}

/** What a path names by its ID. `load` throws `not_found` unless it is the tenant's. */
export function named<TargetId extends Id<string>>(
  load: (services: Pick<Services, 'store' | 'clock'>, tenantId: TenantId, id: TargetId) => Promise<unknown>,
): Target<TargetId> {
  return {
    parse: parseId<TargetId>,
    async find(services, { tenantId }, id) {
      await load(services, tenantId, id);
      return id;
    },
  };
}

/** What the route itself creates. */
export const NEW: Target<null> = { parse: () => null, find: async () => null };

export const TENANT: Target<null> = { parse: () => null, find: async (_, { tenantId }) => tenantId };
