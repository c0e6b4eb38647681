import { makeEvent, type Origin } from '../audit/record.ts';
import type { Instant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { replaceKey } from './attention.ts';
import { loadFresh } from './fresh.ts';
import { refusePending } from './guards.ts';
import type { Key, KeyVersion } from './key.ts';
import { destroyRetiring, destroyStrays, KMS_WRITES, makeNextMaterial, PREPAID, type Spend } from './material.ts';
import { afterKms, isVersionOf, mayHaveForgotten, retiringCount, withPrimary } from './versions.ts';

/** Versions that were replaced and that the KMS has yet to destroy: with so many a key is not rotated on. */
const RETIRING_AT_MOST = 10;

/**
 * Gives the key a new primary version, and destroys every enabled one beyond the tier's retained count. In steps, each
 * of which leaves the key usable: note that work with the KMS has begun; make the version; make it primary and retire
 * the old ones; where the KMS holds those, have it destroy them. The row is written with the last step. What a crash
 * cuts off is finished by {@link finishRotation}. Throws `key_pending_deletion`, or `unavailable` when too many keys are
 * being changed or were within a minute.
 */
export function rotateKey(env: Env, origin: Origin, found: Key): Promise<Key> {
  return env.keyChanges.change(found, async () => {
    env.kmsWrites.take(found.tenant_id, KMS_WRITES.rotation(found));
    const promoted = await promote(env, origin, await begin(env, found.id));
    if (retiringCount(promoted) === 0) return promoted;
    await destroyRetiring(env, promoted, PREPAID);
    return env.store.transact(async (tx) => {
      const finished = ended(afterKms(await loadFresh(tx, promoted.id), promoted));
      replaceKey(tx, finished);
      env.audit.append(tx, makeEvent(env, origin, 'rotate_key', promoted.id));
      return finished;
    });
  });
}

/**
 * Finishes a rotation that was cut off, and records it where it came so far as to retire versions; clears what one made
 * before `madeBefore` that never came into the record. One that began since the key was read is left to itself.
 */
export async function finishRotation(env: Env, key: Key, madeBefore: Instant, spend: Spend): Promise<void> {
  await destroyStrays(env, key, madeBefore, spend);
  await destroyRetiring(env, key, spend);
  await env.store.transact(async (tx) => {
    const fresh = await loadFresh(tx, key.id);
    const finished = afterKms(fresh, key);
    const isUnderWay = fresh.unfinished_since !== key.unfinished_since;
    replaceKey(tx, isUnderWay ? finished : { ...finished, rotations: 0, unfinished_since: null });
    const origin = { requestId: null, tenantId: key.tenant_id };
    const hasEnded = retiringCount(finished) < retiringCount(fresh);
    if (hasEnded) env.audit.append(tx, makeEvent(env, origin, 'rotate_key', key.id));
  });
}

function begin(env: Env, id: KeyId): Promise<Key> {
  return env.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, env.clock);
    if (retiringCount(key) >= RETIRING_AT_MOST) {
      throw new ApiError('unavailable', 'too many replaced versions of this key have yet to be destroyed');
    }
    const begun = { ...key, rotations: key.rotations + 1, unfinished_since: env.clock.now() };
    replaceKey(tx, begun);
    return begun;
  });
}

async function promote(env: Env, origin: Origin, begun: Key): Promise<Key> {
  for (let key = begun; ; ) {
    const next = key.primary_version + 1;
    const material = await makeMaterial(env, key, next);
    const decided = await env.store.transact(async (tx) => {
      const fresh = await loadFresh(tx, key.id);
      refusePending(fresh, env.clock);
      // The answer to this very commit was lost.
      if (isVersionOf(fresh, material)) return { fresh, promoted: fresh };
      if (mayHaveForgotten(fresh, begun)) throw new ApiError('unavailable', 'too many rotations of this key at once');
      // A data key is bound to its version's number; when another rotation took the number, it cannot serve.
      if (fresh.primary_version + 1 !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const renewed = withPrimary(fresh, material, env.clock.now());
      const isDone = retiringCount(renewed) === 0;
      const promoted = isDone ? ended(renewed) : renewed;
      replaceKey(tx, promoted);
      if (isDone) env.audit.append(tx, makeEvent(env, origin, 'rotate_key', key.id));
      return { fresh, promoted };
    });
    if (decided.promoted !== undefined) return decided.promoted;
    key = decided.fresh;
  }
}

/** Throws as a rotation of the key as it is now would, where a destruction has taken the version before it could be used. */
async function makeMaterial(env: Env, key: Key, version: number): Promise<KeyVersion['material']> {
  try {
    return await makeNextMaterial(env, key, version);
  } catch (error) {
    await env.store.transact(async (tx) => refusePending(await loadFresh(tx, key.id), env.clock));
    throw error;
  }
}

/** The key with one rotation fewer under way. */
function ended(key: Key): Key {
  const rotations = Math.max(0, key.rotations - 1);
  return { ...key, rotations, unfinished_since: rotations === 0 ? null : key.unfinished_since };
}
