import type { TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Changed } from './changed.ts';
import { TEAMS, type Team } from './team.ts';

/** A change of a team, with other writes for the same commit. */
interface TeamChange {
  readonly team: Team;
  readonly write?: (writes: Writes) => void;
}

export function noTenant(): ApiError {
  return new ApiError('no_tenant', 'you no longer belong to the tenant');
}

/** Returns a tenant's team. Throws `no_tenant` if the last member has left. */
export async function loadTeam(store: Store, tenantId: TenantId): Promise<Team> {
  const found = await store.find(TEAMS, tenantId);
  if (found === undefined) throw noTenant();
  return found;
}

/**
 * Changes a tenant's team. Retries on conflict. Writes nothing if nothing changes. Throws `gone()` if the last member
 * has left.
 */
export function changeTeam(
  store: Store,
  tenantId: TenantId,
  change: (team: Team) => TeamChange | Promise<TeamChange>,
  gone = noTenant,
): Promise<Changed<Team>> {
  return store.retryOnConflict(async () => {
    const found = await store.findWithUpdateTime(TEAMS, tenantId);
    if (found === undefined) throw gone();
    const { team, write } = await change(found.doc);
    const changed = { before: found.doc, after: team };
    if (team === found.doc) return changed;
    await store.write((writes) => {
      writes.replaceUnchanged(TEAMS, tenantId, team, found.updateTime);
      write?.(writes);
    });
    return changed;
  });
}
