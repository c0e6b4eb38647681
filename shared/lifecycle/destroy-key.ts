import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { KeyId } from '../base/ids.ts';
import { notFound } from '../errors.ts';
import { KEYS, type Key } from '../keys/key.ts';
import { hasCryptoKey, withoutMaterial } from '../keys/versions.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { freeClaims } from './claims.ts';
import { asPending } from './delete-key.ts';
import { isInterrupted, isToBeDestroyed, replaceKey } from './due.ts';
import { changeRecorded, loadFresh } from './key-changes.ts';
import type { DestructionServices, KeyServices } from './key-services.ts';
import { ALREADY_TAKEN, destroyVersions, KMS_WRITES, type TakeWrite } from './material.ts';
import { isSettled } from './settle.ts';

/**
 * Destroys a key at once. First marks the key as being destroyed, so that nobody can use or restore it. Half a second
 * later, destroys its material. Throws `unavailable` when too many changes wait or the KMS write limit is reached.
 */
export function destroyNow(services: KeyServices, origin: Origin, found: Key): Promise<void> {
  const dependency = hasCryptoKey(found) ? 'kms' : 'store';
  return services.keyChanges.changeInParts(found, async (inTurn) => {
    let isFirst = false;
    const begun = await inTurn(dependency, async () => {
      // An earlier change in the queue may have left more versions to destroy.
      const latest = (await services.store.find(KEYS, found.id)) ?? found;
      return services.kmsWrites.takeFor(found.tenant_id, KMS_WRITES.destruction(latest), () =>
        services.store.transact(async (tx) => {
          const now = services.clock.now();
          const key = await loadFresh(tx, found.id);
          const pending: Key = { ...asPending(key, now, now), destroying: true };
          replaceKey(tx, pending);
          // An attempt whose answer was lost may have been applied.
          isFirst ||= !key.destroying;
          return pending;
        }),
      );
    });
    await services.settle();
    const destroyed = await inTurn(dependency, () => finishDestruction(services, origin, begun, ALREADY_TAKEN));
    // Of simultaneous requests, one destroys the key. If a scheduled run does, the first request began the destruction.
    const by = destroyed.destroyed_by ?? null;
    if (by === null ? !isFirst : by !== origin.requestId) throw notFound();
  });
}

/** Destroys a key if it is due, and returns whether it did. Idempotent, even if runs overlap. */
export async function destroyIfDue(services: DestructionServices, id: KeyId, takeWrite: TakeWrite): Promise<boolean> {
  const due = await services.store.transact(async (tx) => {
    const [key, now] = [await tx.find(KEYS, id), services.clock.now()];
    if (key?.destroy_after == null || !isToBeDestroyed(key, now)) return undefined;
    if (!key.destroying) replaceKey(tx, { ...key, destroying: true });
    // A `destroy` request may have made the key due a moment ago.
    return { key, mustSettle: key.destroying && !isSettled(key.destroy_after, now) };
  });
  if (due === undefined) return false;
  if (due.mustSettle) await services.settle();
  const { key } = due;
  await finishDestruction(services, { requestId: null, tenantId: key.tenant_id }, key, takeWrite);
  return true;
}

/**
 * Destroys the KMS versions before it updates the stored key, so that a failure in between is retried. Returns the
 * destroyed key, which another request or run may have destroyed meanwhile.
 */
async function finishDestruction(
  services: DestructionServices,
  origin: Origin,
  begun: Key,
  takeWrite: TakeWrite,
): Promise<Key> {
  await destroyVersions(services.kms, begun, takeWrite);
  return changeRecorded(services.store, async (tx) => {
    const key = await tx.find(KEYS, begun.id);
    if (key?.state !== 'pending_deletion') return key ?? begun;
    await freeClaims(tx, key);
    const now = services.clock.now();
    const destroyed: Key = {
      ...withoutMaterial(key),
      state: 'destroyed',
      destroyed_at: now,
      destroyed_by: origin.requestId,
    };
    // A rotation in progress may still create a version in the KMS. A later run then lists the versions again.
    const mayGoOn = key.rotations > 0 && !isInterrupted(begun, now);
    const stored = mayGoOn ? destroyed : { ...destroyed, rotations: 0, unfinished_since: null };
    replaceKey(tx, stored);
    appendEvent(tx, makeEvent(services.clock, origin, 'destroy_key', key.id));
    logRedo(tx, services.log, { message: 'key destroyed', tenant_id: key.tenant_id, target_id: key.id });
    return stored;
  });
}
