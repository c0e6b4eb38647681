import type { Id, TenantId } from '../base/ids.ts';
import type { ChangeableCollection } from '../store/collection.ts';
import { isNotFound } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { CLAIMS } from './claim.ts';
import { type Counter, OBJECT_COUNTS } from './object-counts.ts';
import type { RecordChange } from './record-change.ts';
import { freeSlots } from './slots.ts';
import { noTenant } from './teams.ts';

interface Removal<Doc> {
  readonly tenantId: TenantId;
  readonly from: ChangeableCollection<Doc>;
  readonly id: Id<string>;
  readonly counter: Counter;
  readonly record: RecordChange;
  /** Returns the object if it belongs to the tenant, or throws. */
  ownOf(found: Doc | undefined): Doc;
  refuseReferenced(thing: Doc): Promise<void>;
  claimOf(thing: Doc): string;
}

/**
 * Removes an object that nothing refers to. A new reference also writes to the object, so the commits conflict. Throws
 * `not_found` if a concurrent request has removed the object, or `no_tenant` if the tenant was left.
 */
export function removeUnreferenced<Doc>(store: Store, removal: Removal<Doc>): Promise<void> {
  const { tenantId, from, id, counter, record, ownOf, refuseReferenced, claimOf } = removal;
  return store.retryOnConflict(async () => {
    const found = await store.findWithUpdateTime(from, id);
    const thing = ownOf(found?.doc);
    await refuseReferenced(thing);
    const claim = claimOf(thing);
    const isItsOwn = (await store.find(CLAIMS, claim))?.holder === id;
    const remove = store.write((writes) => {
      if (isItsOwn) writes.remove(CLAIMS, claim);
      if (found !== undefined) writes.removeUnchanged(from, id, found.updateTime);
      freeSlots(writes, tenantId, counter);
      record(writes, id);
    });
    await remove.catch(async (error: unknown) => {
      if (isNotFound(error) && (await store.find(OBJECT_COUNTS, tenantId)) === undefined) throw noTenant();
      throw error;
    });
  });
}
