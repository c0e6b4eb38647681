import { isDeepStrictEqual } from 'node:util';
import { markUnsealed } from '../audit/unsealed.ts';
import type { TenantId } from '../base/ids.ts';
import type { Services } from '../services.ts';
import type { Store } from '../store/store.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import type { TreeHead } from '../transparency/restoration.ts';
import type { VerifierKey } from '../transparency/verifier-key.ts';
import { countSeals, type Head, loadHead, type Restoring, SEAL_HEADS } from './head.ts';
import { openRestoring } from './open-restoring.ts';
import { SEALS, sealId } from './seals.ts';

/** A verified checkpoint, with its seal's index and its branch of the log. */
export interface SignedHead extends TreeHead {
  readonly index: number;
  readonly branch: number;
  readonly checkpoint: string;
}

export interface Comparison {
  readonly log: 'unchanged' | 'restored' | 'gone';
  /** What `seal-audit` must state, if anything. */
  readonly due: { readonly lost: TreeHead; readonly from: TreeHead; readonly branch: number } | null;
  /** Whether another restoration was stored, which these checkpoints do not give. It is replaced. */
  readonly replaced: boolean;
}

/**
 * Compares a log with its known signed checkpoints. If some are missing, the log is `restored`: nothing is signed
 * until `seal-audit` has stated the loss while the service is closed. Throws an `Error` if the checkpoints do not
 * reach back to the remaining log. `key` is the log's.
 */
export function restartLog(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  tenantId: TenantId,
  key: VerifierKey,
  signed: readonly SignedHead[],
): Promise<Comparison> {
  return store.retryOnConflict(async () => {
    if ((await store.find(TENANTS, tenantId)) === undefined) return { log: 'gone', due: null, replaced: false };
    const { doc: head, updateTime } = await loadHead(store, tenantId);
    const restoring = await findRestoring(store, head, signed);
    const opened = restoring && (await openRestoring(store, key, head, restoring));
    const due = opened && { ...opened, branch: restoring.branch };
    const replaced = head.restoring !== null && !isDeepStrictEqual(head.restoring, restoring);
    if (restoring !== null || replaced) {
      await store.write((writes) => {
        writes.replaceUnchanged(SEAL_HEADS, tenantId, { ...head, restoring }, updateTime);
        // The mark makes `seal-audit` find the tenant, even without new rows.
        markUnsealed(writes, { tenant_id: tenantId, ts: clock.now() });
      });
    }
    return { log: due === null ? 'unchanged' : 'restored', due, replaced };
  });
}

/** Ignores the stored restoration: someone may have written it who wants an excuse for a rewritten log. */
async function findRestoring(store: Store, head: Head, signed: readonly SignedHead[]): Promise<Restoring | null> {
  const missing = await findMissing(store, head, signed);
  const [last] = missing.toSorted((one, other) => other.size - one.size);
  if (last === undefined) return null;
  const branch = Math.max(head.branch, ...signed.map((one) => one.branch)) + 1;
  const seals = Math.min(countSeals(head), ...missing.map(({ index }) => index));
  return { lost: last.checkpoint, seals, branch };
}

/** The missing checkpoints whose loss is not yet stated: those of this and later branches. */
async function findMissing(store: Store, head: Head, signed: readonly SignedHead[]): Promise<SignedHead[]> {
  const open = signed.filter(({ branch }) => branch >= head.branch);
  const seals = await store.findAll(
    SEALS,
    open.map(({ index }) => sealId(head.tenant_id, index)),
  );
  return open.filter(({ index, size, root }, at) => {
    const isPending = head.pending?.index === index && head.pending.size === size && head.pending.root === root;
    const seal = index < head.next_index ? seals[at] : undefined;
    return !isPending && (seal?.size !== size || seal.root !== root);
  });
}
