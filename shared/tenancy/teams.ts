import type { TenantId } from '../base/ids.ts';
import { notFound } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Changed } from './changed.ts';
import { TEAMS, type Team } from './team.ts';

/** What a change of a team writes: the team as it is now, and what is stored in the same commit. */
export interface TeamChange {
  readonly team: Team;
  readonly write?: (writes: Writes) => void;
}

/** Throws `not_found` for a tenant that its last member has left. */
export async function loadTeam(store: Store, tenantId: TenantId): Promise<Team> {
  const found = await store.find(TEAMS, tenantId);
  if (found === undefined) throw notFound();
  return found;
}

/**
 * Changes a team with what belongs to the change in one commit, again where another change came first. What leaves the team
 * as it is writes nothing. Throws what `change` throws, and `not_found` for a tenant that its last member has left.
 */
export function changeTeam(
  store: Store,
  tenantId: TenantId,
  change: (team: Team) => TeamChange | Promise<TeamChange>,
): Promise<Changed<Team>> {
  return store.retryOnConflict(async () => {
    const found = await store.findWithUpdateTime(TEAMS, tenantId);
    if (found === undefined) throw notFound();
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
