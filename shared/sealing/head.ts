import { z } from 'zod';
import { makeInstant } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import { isAlreadyExists, type Store } from '../store/store.ts';
import type { UpdateTime } from '../store/writes.ts';
import { loadTenant } from '../tenancy/tenants.ts';
import { SEALS, sealId, unsignedSeal } from './seals.ts';

const treeHead = z.object({ size: z.int().min(0), root: z.string() });

const head = z.object({
  tenant_id: idSchema<TenantId>(),
  /** The index of the seal after the one that is pending. */
  next_index: z.int().min(0),
  /** Where the period of the last seal ends, pending or not; of a log without any, where the first one's begins. */
  until: instantField,
  /** How many entries the tree has, those of the pending seal included, and its right edge. */
  size: z.int().min(0),
  hashes: z.array(z.string()),
  /** The seal that is decided and may not be signed yet. */
  pending: unsignedSeal.nullable(),
  /** How many statements there are that the log was restored from a backup. */
  restorations: z.int().min(0).default(0),
  /** The number of the last restoration: each begins another branch, which may have the sizes of the one before once more. */
  branch: z.int().min(0).default(0),
  /** A restoration that is still to be stated, and the branch that begins with it. Nothing else is signed before. */
  restoring: z.object({ lost: treeHead, from: treeHead, branch: z.int() }).nullable().default(null),
  /** How often in a row sealing has failed, and when it is tried again. */
  failures: z.int().min(0),
  retry_at: instantField,
});

/** How far a tenant's log is sealed. */
export type Head = z.output<typeof head>;

/** A head with the time of its last write. */
export interface FoundHead {
  readonly doc: Head;
  readonly updateTime: UpdateTime;
}

/** `sealHeads/{tenant id}` */
export const SEAL_HEADS = collection('sealHeads', head);

/** How many seals are there to be shown. */
export function countSeals({ pending, next_index }: Head): number {
  return pending?.index ?? next_index;
}

/** How many entries these have. */
export function countEntries({ pending, size }: Head): number {
  return pending?.first_entry ?? size;
}

/**
 * The head of the tenant's log, made where there is none. Throws an `Error` where it is gone though a seal is there: a second
 * log is not begun; and where it names another tenant, whose log would be signed a second time.
 */
export async function loadHead(store: Store, tenantId: TenantId): Promise<FoundHead> {
  const found = await store.findWithUpdateTime(SEAL_HEADS, tenantId);
  if (found !== undefined && found.doc.tenant_id !== tenantId)
    throw new Error("the head of a tenant's log names another tenant");
  if (found !== undefined) return found;
  if ((await store.find(SEALS, sealId(tenantId, 0))) !== undefined) {
    // Unless another run made both meanwhile.
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

/** Changes the head as it is now. */
export function changeHead(store: Store, tenantId: TenantId, change: (head: Head) => Head): Promise<void> {
  return store.retryOnConflict(async () => {
    const { doc, updateTime } = await loadHead(store, tenantId);
    await store.write((writes) => writes.replaceUnchanged(SEAL_HEADS, tenantId, change(doc), updateTime));
  });
}
