import type { Store } from '../store/store.ts';
import { openCheckpoint } from '../transparency/checkpoint.ts';
import type { TreeHead } from '../transparency/restoration.ts';
import { CompactRange, encodeHash } from '../transparency/tree.ts';
import type { VerifierKey } from '../transparency/verifier-key.ts';
import { countEntries, countSeals, type Head, type Restoring } from './head.ts';
import { SEALS, sealId } from './seals.ts';

/**
 * Returns the sizes and roots for the statement about a restore. Verifies their signatures, because an attacker may
 * have written to the database. Throws an `Error` if a signature is invalid or if the log has lost nothing.
 */
export async function openRestoring(
  store: Store,
  key: VerifierKey,
  head: Head,
  restoring: Restoring,
): Promise<{ lost: TreeHead; from: TreeHead }> {
  const lost = openSigned(restoring.lost, key);
  const from = await loadSigned(store, key, head, restoring.seals);
  if (from.size >= lost.size) throw new Error('the checkpoints do not reach back to what the log still has');
  return { lost, from };
}

/**
 * Returns the signed size and root after this number of seals. Throws an `Error` if the head has fewer seals or does
 * not continue its newest seal.
 */
export async function loadSigned(store: Store, key: VerifierKey, head: Head, seals: number): Promise<TreeHead> {
  if (seals > countSeals(head)) throw new Error(`the head of the log has fewer than ${seals} seals`);
  const from = seals === 0 ? EMPTY : openSigned(await loadCheckpoint(store, head, seals - 1), key);
  if (seals === countSeals(head) && from.size !== countEntries(head))
    throw new Error('the head of the log does not continue the newest seal');
  return from;
}

const EMPTY: TreeHead = { size: 0, root: encodeHash(CompactRange.empty().root()) };

async function loadCheckpoint(store: Store, { tenant_id }: Head, index: number): Promise<string> {
  const seal = await store.find(SEALS, sealId(tenant_id, index));
  if (seal === undefined) throw new Error(`seal ${index} of the log is missing`);
  return seal.checkpoint;
}

function openSigned(checkpoint: string, key: VerifierKey): TreeHead {
  const opened = openCheckpoint(checkpoint, key);
  if ('refused' in opened) throw new Error(`a checkpoint of the restoration was rejected (${opened.refused})`);
  const { size, root } = opened.checkpoint;
  return { size, root };
}
