import { makeInstant } from '../base/clock.ts';
import { nextTurn } from '../base/next-turn.ts';
import { isChanged } from '../store/failures.ts';
import type { Writes } from '../store/writes.ts';
import { formatCheckpoint } from '../transparency/checkpoint.ts';
import { signNote } from '../transparency/note.ts';
import { type FoundHead, type Head, SEAL_HEADS } from './head.ts';
import { loadLogKey } from './log-key.ts';
import type { SealServices } from './seal-services.ts';
import { SEALS, sealId, type UnsignedSeal } from './seals.ts';

export type SigningServices = Pick<SealServices, 'store' | 'signer' | 'log'>;

/**
 * Signs and stores the pending seal. Idempotent, because Ed25519 signatures are deterministic. `also` adds writes to
 * the last commit. Throws an `Error` if a different seal is already stored.
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
    // The seal may already be stored, by another run or by an earlier attempt of this commit whose answer was lost.
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
  // Wait until the log line is written: a checkpoint must be in the operator's log before anyone can read it.
  await nextTurn();
  // If the seal already exists, another run has made the same seal.
  await store.write((writes) => writes.create(SEALS, id, { ...pending, tenant_id, checkpoint }));
}
