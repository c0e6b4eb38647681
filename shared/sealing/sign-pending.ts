import { makeInstant } from '../base/clock.ts';
import { nextTurn } from '../base/next-turn.ts';
import { isChanged } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { formatCheckpoint } from '../transparency/checkpoint.ts';
import { signNote } from '../transparency/note.ts';
import { type FoundHead, type Head, SEAL_HEADS } from './head.ts';
import { loadLogKey } from './log-key.ts';
import type { SealServices } from './seal-services.ts';
import { SEALS, sealId, type UnsignedSeal } from './seals.ts';

/** What signing a seal depends on. */
export type SigningServices = Pick<SealServices, 'store' | 'signer' | 'log'>;

/**
 * Signs the pending seal, keeps it, and has the log go on, with what `also` writes. Whoever does so a second time, after a
 * crash or beside another run, does the same again: Ed25519 gives the same bytes. Throws an `Error` where another seal is
 * there already.
 */
export async function signPending(
  services: SigningServices,
  { doc: head, updateTime }: FoundHead,
  also: (writes: Writes) => void,
): Promise<void> {
  const { tenant_id, pending } = head;
  if (pending === null) return;
  await keepSeal(services, head, pending);
  try {
    await services.store.write((writes) => {
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
  { store, signer, log }: SigningServices,
  { tenant_id, branch }: Head,
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
  log.write('checkpoint signed', { tenant_id, branch, index, size, root, checkpoint });
  // The line is written in the next turn: nobody reads a checkpoint that is not in the operator's log.
  await nextTurn();
  // Where it is there by now, another run has made the same.
  await store.write((writes) => writes.create(SEALS, id, { ...pending, tenant_id, checkpoint }));
}
