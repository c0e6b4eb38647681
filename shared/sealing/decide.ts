import { EVENTS_TO_SEAL, ROW_SHARDS } from '../audit/event.ts';
import { viewEvent } from '../audit/view.ts';
import type { Instant } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import { encodeEntry } from '../transparency/entry.ts';
import { CompactRange, encodeHash, hashLeaf } from '../transparency/tree.ts';
import { type FoundHead, type Head, loadHead, SEAL_HEADS } from './head.ts';
import { RowIds } from './sealed-rows.ts';

/** The most entries of a seal, to limit a commit. Entries with the same `ts` as the last one are added. */
const ENTRIES_AT_MOST = 20_000;

/**
 * Chooses and stores the contents of the next seal, unless one is pending. Its tree may be signed only after this
 * commit: then no other run can choose another tree of the same size. Returns `undefined` if all rows are sealed.
 */
export function decideSeal(
  store: Store,
  tenantId: TenantId,
  until: Instant,
  most = ENTRIES_AT_MOST,
): Promise<FoundHead | undefined> {
  return store.retryOnConflict(async () => {
    const { doc, updateTime } = await loadHead(store, tenantId);
    if (doc.restoring !== null)
      throw new Error('the log was restored, and seal-audit has not yet signed a statement about that');
    if (doc.pending !== null) return { doc, updateTime };
    const decided = await readRows(store, doc, until, most);
    if (decided === undefined) return undefined;
    await store.write((writes) => {
      writes.replaceUnchanged(SEAL_HEADS, tenantId, decided.head, updateTime);
      decided.rows.write(writes);
    });
    return loadHead(store, tenantId);
  });
}

/** Reads the rows of the next seal. Returns `undefined` if there are no rows. */
async function readRows(
  store: Store,
  head: Head,
  until: Instant,
  most: number,
): Promise<{ head: Head; rows: RowIds } | undefined> {
  const { tenant_id, next_index: index, until: from, size: first_entry } = head;
  if (from >= until) return undefined;
  const tree = CompactRange.from(first_entry, head.hashes);
  if (tree === undefined) throw new Error("the hashes in a log's head do not match its size");
  const rows = await RowIds.open(store, tenant_id, first_entry);
  let [end, last] = [until, from];
  const bounds = { equal: [tenant_id], anyOf: ROW_SHARDS, since: from, until };
  read: for await (const page of store.pagesWithIds(EVENTS_TO_SEAL, bounds)) {
    for (const { id, doc } of page) {
      if (tree.size - first_entry >= most && doc.ts > last) {
        end = doc.ts;
        break read;
      }
      tree.append(hashLeaf(encodeEntry(viewEvent({ id, event: doc }))));
      rows.append(id);
      last = doc.ts;
    }
  }
  const { size } = tree;
  if (size === first_entry) return undefined;
  const root = encodeHash(tree.root());
  const pending = { index, from, until: end, first_entry, entries: size - first_entry, size, root };
  return { head: { ...head, next_index: index + 1, until: end, size, hashes: tree.hashes, pending }, rows };
}
