import { z } from 'zod';
import { makeInstant } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { UpdateTime } from '../store/commit.ts';
import { isAlreadyExists } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { loadTenant } from '../tenancy/tenants.ts';
import { SEALS, sealId, unsignedSeal } from './seals.ts';

const restoring = z.object({
  /** The last known signed checkpoint of the log before the restore. */
  lost: z.string(),
  /** The number of seals that remain after the restore. */
  seals: z.int().min(0),
  /** The number of the branch that begins with this restore. */
  branch: z.int().min(1),
});

const head = z.object({
  tenant_id: idSchema<TenantId>(),
  /** The index of the next seal whose contents are chosen. A pending seal has the previous index. */
  next_index: z.int().min(0),
  /** The end of the period of the last seal, which may be pending. For a new log, the start of the first period. */
  until: instantField,
  /** The size and the right edge of the tree with all seals, including the pending one. */
  size: z.int().min(0),
  hashes: z.array(z.string()),
  /** A seal whose contents are stored, but which may not be signed yet. */
  pending: unsignedSeal.nullable(),
  /** The number of signed statements about restores of the log. */
  restorations: z.int().min(0).default(0),
  /** The number of the last restore. Each begins a new branch of the log, where tree sizes can occur again. */
  branch: z.int().min(0).default(0),
  /** The restore that needs a signed statement before anything else is signed, or `null`. */
  restoring: restoring.nullable().default(null),
  /** The number of consecutive failures to seal. `retry_at` is the time of the next attempt. */
  failures: z.int().min(0),
  retry_at: instantField,
});

export type Restoring = z.output<typeof restoring>;

/** The state of a tenant's sealed log. */
export type Head = z.output<typeof head>;

export interface FoundHead {
  readonly doc: Head;
  readonly updateTime: UpdateTime;
}

export const SEAL_HEADS = collection('sealHeads', head);

/** Returns the number of signed seals. */
export function countSeals({ pending, next_index }: Head): number {
  return pending?.index ?? next_index;
}

/** Returns the number of signed entries. */
export function countEntries({ pending, size }: Head): number {
  return pending?.first_entry ?? size;
}

/**
 * Returns the head, or creates a missing one. Throws an `Error` if the head is missing but seals exist, or if the head
 * names another tenant, because a log must not be started or signed twice.
 */
export async function loadHead(store: Store, tenantId: TenantId): Promise<FoundHead> {
  const found = await store.findWithUpdateTime(SEAL_HEADS, tenantId);
  if (found !== undefined && found.doc.tenant_id !== tenantId)
    throw new Error("the head of a tenant's log names another tenant");
  if (found !== undefined) return found;
  if ((await store.find(SEALS, sealId(tenantId, 0))) !== undefined) {
    // Another run may have created the head and the first seal meanwhile.
    const made = await store.findWithUpdateTime(SEAL_HEADS, tenantId);
    if (made === undefined) throw new Error('the log has seals but no head');
    return made;
  }
  const { created_at } = await loadTenant(store, tenantId);
  const log = { next_index: 0, until: created_at, size: 0, hashes: [], pending: null };
  const restored = { restorations: 0, branch: 0, restoring: null };
  const created = { tenant_id: tenantId, ...log, ...restored, failures: 0, retry_at: makeInstant(0) };
  try {
    await store.write((writes) => writes.claim(SEAL_HEADS, tenantId, created));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return loadHead(store, tenantId);
}

/** Stores the changed head. Retries `change` on conflict. */
export function changeHead(store: Store, tenantId: TenantId, change: (head: Head) => Head): Promise<void> {
  return store.retryOnConflict(async () => {
    const { doc, updateTime } = await loadHead(store, tenantId);
    await store.write((writes) => writes.replaceUnchanged(SEAL_HEADS, tenantId, change(doc), updateTime));
  });
}
