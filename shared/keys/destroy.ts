import { makeEvent, type Origin } from '../audit/record.ts';
import type { KeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { isCutOff, isToBeDestroyed, replaceKey } from './attention.ts';
import { giveBack } from './claims.ts';
import { asPending } from './deletion.ts';
import { loadFresh } from './fresh.ts';
import { KEYS, type Key } from './key.ts';
import { destroyVersions, KMS_WRITES, PREPAID, type Spend } from './material.ts';
import { withoutMaterial } from './versions.ts';

/**
 * Destroys a key now. It is pending and due from the first step on: nothing can use or restore it, whatever happens next.
 * Throws `unavailable`, before that, when too many changes wait or the KMS has been told to change too much.
 */
export function destroyNow(env: Env, origin: Origin, found: Key): Promise<void> {
  return env.keyChanges.change(found, async () => {
    env.kmsWrites.take(found.tenant_id, KMS_WRITES.destruction(found));
    const begun = await env.store.transact(async (tx) => {
      const now = env.clock.now();
      const key = await loadFresh(tx, found.id);
      const pending: Key = { ...asPending(key, now, now), destroying: true };
      replaceKey(tx, pending);
      return pending;
    });
    await finishDestruction(env, origin, begun, PREPAID);
  });
}

/** Destroys a key if it is still pending and due. Returns whether there was anything to do. Safe to run twice at once. */
export async function destroyIfDue(env: Env, id: KeyId, spend: Spend): Promise<boolean> {
  const begun = await env.store.transact(async (tx) => {
    const key = await tx.find(KEYS, id);
    if (key === undefined || !isToBeDestroyed(key, env.clock.now())) return undefined;
    const begun: Key = { ...key, destroying: true };
    if (!key.destroying) replaceKey(tx, begun);
    return begun;
  });
  if (begun === undefined) return false;
  await finishDestruction(env, { requestId: null, tenantId: begun.tenant_id }, begun, spend);
  return true;
}

/** First the versions in the KMS, then the record with its audit row: what fails in between is begun again from here. */
async function finishDestruction(env: Env, origin: Origin, begun: Key, spend: Spend): Promise<void> {
  await destroyVersions(env, begun, spend);
  await env.store.transact(async (tx) => {
    const key = await tx.find(KEYS, begun.id);
    if (key?.state !== 'pending_deletion') return;
    await giveBack(tx, env, key);
    const now = env.clock.now();
    const destroyed: Key = { ...withoutMaterial(key), state: 'destroyed', destroyed_at: now };
    // A rotation under way may yet have the KMS make a version: a later run looks for it.
    const mayGoOn = key.rotations > 0 && !isCutOff(begun, now);
    replaceKey(tx, mayGoOn ? destroyed : { ...destroyed, rotations: 0, unfinished_since: null });
    env.audit.append(tx, makeEvent(env, origin, 'destroy_key', key.id));
  });
}
