import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { KeyId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import { hasCryptoKey, withoutMaterial } from '../keys/versions.ts';
import type { DestructionServices, KeyServices } from '../services.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { freeClaims } from './claims.ts';
import { asPending } from './delete-key.ts';
import { isInterrupted, isToBeDestroyed, replaceKey } from './due.ts';
import { loadFresh } from './key-changes.ts';
import { ALREADY_TAKEN, destroyVersions, KMS_WRITES, type TakeWrite } from './material.ts';

/**
 * Destroys a key at once. First marks the key as being destroyed, so that nobody can use or restore it, then destroys
 * its material. Throws `unavailable` when too many changes wait or the KMS write limit is reached.
 */
export function destroyNow(services: KeyServices, origin: Origin, found: Key): Promise<void> {
  return services.keyChanges.change(found, hasCryptoKey(found) ? 'kms' : 'store', async () => {
    const begun = await services.kmsWrites.takeFor(found.tenant_id, KMS_WRITES.destruction(found), () =>
      services.store.transact(async (tx) => {
        const now = services.clock.now();
        const key = await loadFresh(tx, found.id);
        const pending: Key = { ...asPending(key, now, now), destroying: true };
        replaceKey(tx, pending);
        return pending;
      }),
    );
    await finishDestruction(services, origin, begun, ALREADY_TAKEN);
  });
}

/** Destroys a key if it is due, and returns whether it did. Idempotent, even if runs overlap. */
export async function destroyIfDue(services: DestructionServices, id: KeyId, takeWrite: TakeWrite): Promise<boolean> {
  const begun = await services.store.transact(async (tx) => {
    const key = await tx.find(KEYS, id);
    if (key === undefined || !isToBeDestroyed(key, services.clock.now())) return undefined;
    const begun: Key = { ...key, destroying: true };
    if (!key.destroying) replaceKey(tx, begun);
    return begun;
  });
  if (begun === undefined) return false;
  await finishDestruction(services, { requestId: null, tenantId: begun.tenant_id }, begun, takeWrite);
  return true;
}

/** Destroys the KMS versions before it updates the stored key, so that a failure in between is retried. */
async function finishDestruction(
  services: DestructionServices,
  origin: Origin,
  begun: Key,
  takeWrite: TakeWrite,
): Promise<void> {
  await destroyVersions(services.kms, begun, takeWrite);
  await services.store.transact(async (tx) => {
    const key = await tx.find(KEYS, begun.id);
    if (key?.state !== 'pending_deletion') return;
    await freeClaims(tx, key);
    const now = services.clock.now();
    const destroyed: Key = { ...withoutMaterial(key), state: 'destroyed', destroyed_at: now };
    // A rotation in progress may still create a version in the KMS. A later run then lists the versions again.
    const mayGoOn = key.rotations > 0 && !isInterrupted(begun, now);
    replaceKey(tx, mayGoOn ? destroyed : { ...destroyed, rotations: 0, unfinished_since: null });
    appendEvent(tx, makeEvent(services.clock, origin, 'destroy_key', key.id));
    logRedo(tx, services.log, { message: 'key destroyed', tenant_id: key.tenant_id, target_id: key.id });
  });
}
