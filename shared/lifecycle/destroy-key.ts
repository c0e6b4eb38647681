import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { KeyId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import { withoutMaterial } from '../keys/versions.ts';
import { isInterrupted, isToBeDestroyed, replaceKey } from './attention.ts';
import { freeClaims } from './claims.ts';
import { asPending } from './delete-key.ts';
import { loadFresh } from './fresh.ts';
import { ALREADY_TAKEN, destroyVersions, KMS_WRITES, type TakeWrite } from './material.ts';
import type { ChangeNeeds, DestructionNeeds } from './needs.ts';

/**
 * First makes the key pending and due, so that nothing can use or restore it. Throws `unavailable` before that when too
 * many changes wait or the KMS write limit is reached.
 */
export function destroyNow(needs: ChangeNeeds & DestructionNeeds, origin: Origin, found: Key): Promise<void> {
  return needs.keyChanges.change(found, async () => {
    needs.kmsWrites.take(found.tenant_id, KMS_WRITES.destruction(found));
    const begun = await needs.store.transact(async (tx) => {
      const now = needs.clock.now();
      const key = await loadFresh(tx, found.id);
      const pending: Key = { ...asPending(key, now, now), destroying: true };
      replaceKey(tx, pending);
      return pending;
    });
    await finishDestruction(needs, origin, begun, ALREADY_TAKEN);
  });
}

/** Returns whether the key was still pending and due. Idempotent, also when runs overlap. */
export async function destroyIfDue(needs: DestructionNeeds, id: KeyId, takeWrite: TakeWrite): Promise<boolean> {
  const begun = await needs.store.transact(async (tx) => {
    const key = await tx.find(KEYS, id);
    if (key === undefined || !isToBeDestroyed(key, needs.clock.now())) return undefined;
    const begun: Key = { ...key, destroying: true };
    if (!key.destroying) replaceKey(tx, begun);
    return begun;
  });
  if (begun === undefined) return false;
  await finishDestruction(needs, { requestId: null, tenantId: begun.tenant_id }, begun, takeWrite);
  return true;
}

/** Destroys the KMS versions before updating the record, so that a failure in between is retried. */
async function finishDestruction(
  needs: DestructionNeeds,
  origin: Origin,
  begun: Key,
  takeWrite: TakeWrite,
): Promise<void> {
  await destroyVersions(needs.kms, begun, takeWrite);
  await needs.store.transact(async (tx) => {
    const key = await tx.find(KEYS, begun.id);
    if (key?.state !== 'pending_deletion') return;
    await freeClaims(tx, key);
    const now = needs.clock.now();
    const destroyed: Key = { ...withoutMaterial(key), state: 'destroyed', destroyed_at: now };
    // A rotation in progress may still create a version in the KMS: a later run looks for it.
    const mayGoOn = key.rotations > 0 && !isInterrupted(begun, now);
    replaceKey(tx, mayGoOn ? destroyed : { ...destroyed, rotations: 0, unfinished_since: null });
    appendEvent(tx, makeEvent(needs.clock, origin, 'destroy_key', key.id));
  });
}
