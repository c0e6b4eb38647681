import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import type { ChangeableCollection } from '../store/collection.ts';
import { CLAIMS } from './claim.ts';
import type { Counter } from './object-counts.ts';
import { freePlaces } from './places.ts';

/** A thing of a tenant that may be deleted while nothing holds it. */
interface Removal<Doc> {
  readonly tenantId: TenantId;
  readonly from: ChangeableCollection<Doc>;
  readonly id: string;
  readonly counter: Counter;
  /** The thing, if it is one that the tenant has. Throws what its absence is refused with. */
  ownOf(found: Doc | undefined): Doc;
  /** Throws what the deletion is refused with while something holds the thing. */
  refuseHeld(thing: Doc): Promise<void>;
  /** The claim on its name. */
  claimOf(thing: Doc): string;
}

/**
 * Deletes a thing that nothing holds, with its claim and its place. Whatever comes to hold it writes to its document in the
 * same commit, so that either this sees that, or it finds the thing gone.
 */
export function removeUnheld<Doc>(env: Env, removal: Removal<Doc>): Promise<void> {
  const { tenantId, from, id, counter, ownOf, refuseHeld, claimOf } = removal;
  return env.store.retryOnConflict(async (again) => {
    const found = await env.store.findWithUpdateTime(from, id);
    if (found === undefined && again) return;
    const thing = ownOf(found?.doc);
    await refuseHeld(thing);
    const claim = claimOf(thing);
    const isItsOwn = (await env.store.find(CLAIMS, claim))?.holder === id;
    await env.store.write((writes) => {
      if (isItsOwn) writes.remove(CLAIMS, claim);
      if (found !== undefined) writes.removeUnchanged(from, id, found.updateTime);
      freePlaces(writes, tenantId, counter);
    });
  });
}
