import { AUDIT } from '../audit/event.ts';
import type { Recorded } from '../audit/read.ts';
import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import { countEntries, countSeals, type Head, SEAL_HEADS } from './head.ts';
import { RESTORATIONS, restorationId } from './restorations.ts';
import { readRowIds } from './sealed-rows.ts';
import { SEALS, type StoredSeal, sealId } from './seals.ts';

/** A part of a sealed log: at most `limit` items, starting at the index `from`. */
export interface Part {
  readonly from: number;
  readonly limit: number;
}

/** Returns seals from an index on, oldest first. Omits missing seals. */
export async function readSeals(store: Store, tenantId: TenantId, part: Part): Promise<StoredSeal[]> {
  const { from, until } = await bound(store, tenantId, part, countSeals);
  const ids = Array.from({ length: until - from }, (_, at) => sealId(tenantId, from + at));
  return (await store.findAll(SEALS, ids)).filter((seal) => seal !== undefined);
}

/** Returns signed statements about restores from an index on, oldest first. Omits missing statements. */
export async function readRestorations(store: Store, tenantId: TenantId, part: Part): Promise<string[]> {
  const { from, until } = await bound(store, tenantId, part, ({ restorations }) => restorations);
  const ids = Array.from({ length: until - from }, (_, at) => restorationId(tenantId, from + at));
  return (await store.findAll(RESTORATIONS, ids)).flatMap((found) => found?.statement ?? []);
}

/** Returns sealed events from an entry on, in the tree's order; `undefined` for a missing event. */
export async function readEntries(store: Store, tenantId: TenantId, part: Part): Promise<(Recorded | undefined)[]> {
  const { from, until } = await bound(store, tenantId, part, countEntries);
  const ids = await readRowIds(store, tenantId, from, until);
  const known = ids.filter((id) => id !== undefined);
  const rows = await store.findAll(AUDIT, known);
  const byId = new Map(known.map((id, at) => [id, rows[at]]));
  return ids.map((id) => {
    const event = id === undefined ? undefined : byId.get(id);
    // An attacker may have put another tenant's row into this log's list. Do not show that row.
    return id === undefined || event?.tenant_id !== tenantId ? undefined : { id, event };
  });
}

async function bound(store: Store, tenantId: TenantId, { from, limit }: Part, count: (head: Head) => number) {
  const head = await store.find(SEAL_HEADS, tenantId);
  const end = head === undefined ? 0 : count(head);
  return { from: Math.min(from, end), until: Math.min(from + limit, end) };
}
