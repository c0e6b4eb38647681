import { makeInstant } from '../base/clock.ts';
import { isChanged, type Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { formatCheckpoint } from '../transparency/checkpoint.ts';
import { signNote } from '../transparency/note.ts';
import { type FoundHead, SEAL_HEADS } from './head.ts';
import { loadLogKey, type Signer } from './log-key.ts';
import { SEALS, sealId, type UnsignedSeal } from './seals.ts';

/**
 * Signs the pending seal, keeps it, and has the log go on, with what `also` writes. Whoever does so a second time, after a
 * crash or beside another run, does the same again: Ed25519 gives the same bytes. Throws an `Error` where another seal is
 * there already.
 */
export async function signPending(
  store: Store,
  signer: Signer,
  { doc: head, updateTime }: FoundHead,
  also: (writes: Writes) => void,
): Promise<void> {
  const { tenant_id, pending } = head;
  if (pending === null) return;
  await keepSeal(store, signer, head.tenant_id, pending);
  try {
    await store.write((writes) => {
      const next = { ...head, pending: null, failures: 0, retry_at: makeInstant(0) };
      writes.replaceUnchanged(SEAL_HEADS, tenant_id, next, updateTime);
      also(writes);
    });
  } catch (error) {
    // Another run was first, or this very commit, whose answer was lost.
    if (!isChanged(error)) throw error;
  }
}

async function keepSeal(
  store: Store,
  signer: Signer,
  tenant_id: FoundHead['doc']['tenant_id'],
  pending: UnsignedSeal,
): Promise<void> {
  const { index, size, root } = pending;
  const id = sealId(tenant_id, index);
  const kept = await store.find(SEALS, id);
  if (kept !== undefined) {
    if (kept.size === size && kept.root === root) return;
    throw new Error(`a different seal with index ${index} is already stored`);
  }
  const key = await loadLogKey(signer, tenant_id);
  const checkpoint = await signNote(formatCheckpoint({ origin: key.name, size, root }), key, (bytes) =>
    signer.key.sign(bytes),
  );
  // Where it is there by now, another run has made the same.
  await store.write((writes) => writes.create(SEALS, id, { ...pending, tenant_id, checkpoint }));
}
