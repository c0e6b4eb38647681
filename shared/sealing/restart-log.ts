import { isDeepStrictEqual } from 'node:util';
import { markUnsealed } from '../audit/unsealed.ts';
import type { Clock } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import { TENANTS } from '../tenancy/tenant.ts';
import { covers, openRestoration, type Restoration, type TreeHead } from '../transparency/restoration.ts';
import type { VerifierKey } from '../transparency/verifier-key.ts';
import { countSeals, type Head, loadHead, type Restoring, SEAL_HEADS } from './head.ts';
import { loadSigned, openRestoring } from './open-restoring.ts';
import { readRestorations } from './read.ts';
import { SEALS, sealId } from './seals.ts';

/** A verified checkpoint, with the index of its seal and the number of its branch. */
export interface SignedHead extends TreeHead {
  readonly index: number;
  readonly branch: number;
  readonly checkpoint: string;
}

export interface Comparison {
  readonly log: 'unchanged' | 'restored' | 'gone';
  /** The loss about which `seal-audit` must sign a statement, or `null`. */
  readonly due: { readonly lost: TreeHead; readonly from: TreeHead; readonly branch: number } | null;
  /** Whether the log had a different stored restore, which this call has replaced. */
  readonly replaced: boolean;
}

/**
 * Compares a log with its known signed checkpoints. If some are missing, the log is `restored`: no seal is signed until
 * `seal-audit` has signed a statement about the loss. It does so while the service is closed. Throws an `Error` if the
 * checkpoints do not reach back to the remaining log. `key` is the log's key.
 */
export function restartLog(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  tenantId: TenantId,
  key: VerifierKey,
  signed: readonly SignedHead[],
): Promise<Comparison> {
  return store.retryOnConflict(async () => {
    if ((await store.find(TENANTS, tenantId)) === undefined) return { log: 'gone', due: null, replaced: false };
    const { doc: head, updateTime } = await loadHead(store, tenantId);
    const restoring = await findRestoring(store, key, head, signed);
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

/**
 * Returns the restore that the checkpoints show, or `null`. Ignores the stored one, because an attacker could have
 * stored it to excuse a rewritten log.
 */
async function findRestoring(
  store: Store,
  key: VerifierKey,
  head: Head,
  signed: readonly SignedHead[],
): Promise<Restoring | null> {
  const statements = await loadStatements(store, key, head);
  const missing = await findMissing(store, head, signed, statements);
  const [last] = missing.toSorted((one, other) => other.size - one.size);
  if (last === undefined) return null;
  const branch = Math.max(head.branch, ...signed.map((one) => one.branch)) + 1;
  return { lost: last.checkpoint, seals: await countCommon(store, key, head, missing, statements), branch };
}

async function loadStatements(store: Store, key: VerifierKey, head: Head): Promise<Restoration[]> {
  const statements = await readRestorations(store, head.tenant_id, { from: 0, limit: head.restorations });
  return statements.flatMap((statement) => {
    const opened = openRestoration(statement, key);
    return 'refused' in opened ? [] : [opened.restoration];
  });
}

/** Returns the checkpoints that the log lacks, without those whose loss a signed statement already explains. */
async function findMissing(
  store: Store,
  head: Head,
  signed: readonly SignedHead[],
  statements: readonly Restoration[],
): Promise<SignedHead[]> {
  const open = signed.filter((one) => !statements.some(({ number, lost }) => number > one.branch && covers(lost, one)));
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

/** Returns how many seals the remaining log has in common with the branches of all missing checkpoints. */
async function countCommon(
  store: Store,
  key: VerifierKey,
  head: Head,
  missing: readonly SignedHead[],
  statements: readonly Restoration[],
): Promise<number> {
  const left = statements.filter(({ number }) => missing.some(({ branch }) => number > branch));
  const most = Math.min(...left.map(({ from }) => from.size));
  let seals = Math.min(countSeals(head), ...missing.map(({ index }) => index));
  while ((await loadSigned(store, key, head, seals)).size > most) seals--;
  return seals;
}
