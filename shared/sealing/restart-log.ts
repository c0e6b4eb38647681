import { markUnsealed } from '../audit/unsealed.ts';
import type { TenantId } from '../base/ids.ts';
import type { Services } from '../services.ts';
import type { Store } from '../store/store.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import type { TreeHead } from '../transparency/restoration.ts';
import { CompactRange, encodeHash } from '../transparency/tree.ts';
import { type Head, loadHead, SEAL_HEADS } from './head.ts';
import { SEALS, sealId } from './seals.ts';

/** A signed checkpoint, with its seal's index and its branch of the log. */
export interface SignedHead extends TreeHead {
  readonly index: number;
  readonly branch: number;
}

export type Comparison = 'unchanged' | 'restored' | 'gone';

/**
 * Compares a log with its known signed checkpoints. If some are missing, the log is `restored`: nothing is signed
 * until `seal-audit` has stated the loss while the service is closed. Throws an `Error` if the checkpoints do not
 * reach back to the remaining log.
 */
export function restartLog(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  tenantId: TenantId,
  signed: readonly SignedHead[],
): Promise<Comparison> {
  return store.retryOnConflict(async () => {
    if ((await store.find(TENANTS, tenantId)) === undefined) return 'gone';
    const { doc: head, updateTime } = await loadHead(store, tenantId);
    const missing = await findMissing(store, head, signed);
    const [first] = missing.toSorted((one, other) => one.index - other.index);
    if (first === undefined) return head.restoring === null ? 'unchanged' : 'restored';
    const known = head.restoring;
    // The program may receive the lines in parts.
    const lost = largest([...missing, ...(known === null ? [] : [known.lost])]);
    const from = smallest([await loadBefore(store, head, first.index), ...(known === null ? [] : [known.from])]);
    if (from.size >= lost.size) throw new Error('the checkpoints do not reach back to what the log still has');
    const branch = Math.max(head.branch, ...signed.map((one) => one.branch)) + 1;
    await store.write((writes) => {
      writes.replaceUnchanged(SEAL_HEADS, tenantId, { ...head, restoring: { lost, from, branch } }, updateTime);
      // The mark makes `seal-audit` find the tenant, even without new rows.
      markUnsealed(writes, { tenant_id: tenantId, ts: clock.now() });
    });
    return 'restored';
  });
}

/** The missing checkpoints whose loss is not yet stated: those of this and later branches. */
async function findMissing(store: Store, head: Head, signed: readonly SignedHead[]): Promise<SignedHead[]> {
  const own = signed.filter(({ branch }) => branch >= head.branch);
  const seals = await store.findAll(
    SEALS,
    own.map(({ index }) => sealId(head.tenant_id, index)),
  );
  return own.filter(({ index, size, root }, at) => {
    const isPending = head.pending?.index === index && head.pending.size === size && head.pending.root === root;
    const seal = index < head.next_index ? seals[at] : undefined;
    return !isPending && (seal?.size !== size || seal.root !== root);
  });
}

/** The log before the seal of that index, or the whole log if it is shorter. */
async function loadBefore(store: Store, head: Head, index: number): Promise<TreeHead> {
  const last = Math.min(index, head.next_index) - 1;
  if (last < 0) return { size: 0, root: encodeHash(CompactRange.empty().root()) };
  const seal = head.pending?.index === last ? head.pending : await store.find(SEALS, sealId(head.tenant_id, last));
  if (seal === undefined) throw new Error(`seal ${last} of the log is missing`);
  return { size: seal.size, root: seal.root };
}

function largest(heads: readonly TreeHead[]): TreeHead {
  return pick(heads.toSorted((one, other) => other.size - one.size));
}

function smallest(heads: readonly TreeHead[]): TreeHead {
  return pick(heads.toSorted((one, other) => one.size - other.size));
}

function pick([head]: readonly TreeHead[]): TreeHead {
  if (head === undefined) throw new TypeError('expected at least one size');
  return { size: head.size, root: head.root };
}
