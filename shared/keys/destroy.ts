import { makeEvent, type Origin } from '../audit/record.ts';
import type { KeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { giveBack } from './claims.ts';
import { asPending } from './deletion.ts';
import { loadFresh } from './fresh.ts';
import { enterKeyChange } from './gate.ts';
import { KEYS, type Key } from './key.ts';
import { destroyVersions, withoutMaterial } from './material.ts';

/** Destroys a key now. It is pending and due from the first step on: nothing can use or restore it, whatever happens next. */
export function destroyNow(env: Env, origin: Origin, { id }: Key): Promise<void> {
  return enterKeyChange(env, async () => {
    const begun = await env.store.transact(async (tx) => {
      const now = env.clock.now();
      const key = await loadFresh(tx, id);
      const pending: Key = { ...asPending(key, now, now), destroying: true };
      tx.replace(KEYS, id, pending);
      return pending;
    });
    await finishDestruction(env, origin, begun);
  });
}

/** Destroys a key if it is still pending and due. Returns whether there was anything to do. Safe to run twice at once. */
export async function destroyIfDue(env: Env, id: KeyId): Promise<boolean> {
  const begun = await env.store.transact(async (tx) => {
    const key = await tx.find(KEYS, id);
    if (key?.state !== 'pending_deletion' || key.destroy_after === null) return undefined;
    if (env.clock.now() < key.destroy_after) return undefined;
    const begun: Key = { ...key, destroying: true };
    if (!key.destroying) tx.replace(KEYS, id, begun);
    return begun;
  });
  if (begun === undefined) return false;
  await finishDestruction(env, { requestId: null, tenantId: begun.tenant_id }, begun);
  return true;
}

/** First the versions in the KMS, then the record with its audit row: what fails in between is begun again from here. */
async function finishDestruction(env: Env, origin: Origin, begun: Key): Promise<void> {
  await destroyVersions(env, begun);
  await env.store.transact(async (tx) => {
    const key = await tx.find(KEYS, begun.id);
    if (key?.state !== 'pending_deletion') return;
    await giveBack(tx, env, key);
    tx.replace(KEYS, key.id, {
      ...withoutMaterial(key),
      state: 'destroyed',
      destroyed_at: env.clock.now(),
      // A rotation under way may yet have the KMS make a version: a later run looks for it.
      unfinished_since: key.rotations === 0 ? null : key.unfinished_since,
    });
    env.audit.append(tx, makeEvent(env, origin, 'destroy_key', key.id));
  });
}
