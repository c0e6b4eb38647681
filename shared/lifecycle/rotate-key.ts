import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { Instant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { refusePending } from '../keys/guards.ts';
import type { Key, KeyVersion } from '../keys/key.ts';
import { isVersionOf, mayLackVersions, retiringCount, withPrimary, withRetiringDestroyed } from '../keys/versions.ts';
import { replaceKey } from './attention.ts';
import { loadFresh } from './fresh.ts';
import {
  ALREADY_TAKEN,
  destroyOrphans,
  destroyRetiring,
  KMS_WRITES,
  makeNextMaterial,
  type TakeWrite,
} from './material.ts';
import type { ChangeNeeds, DestructionNeeds, MaterialNeeds } from './needs.ts';

export type RotationNeeds = ChangeNeeds & DestructionNeeds & MaterialNeeds;

/** The number of versions still to be destroyed in the KMS at which rotation is refused. */
const RETIRING_AT_MOST = 10;

/**
 * Makes a new primary version and destroys enabled ones beyond the tier's retained count. Each step leaves the key
 * usable: record that KMS work began; make the version; make it primary; destroy old ones in the KMS; write the audit
 * row. Throws `key_pending_deletion`, or `unavailable` when too many keys are being changed or the KMS write limit is
 * reached.
 */
export function rotateKey(needs: RotationNeeds, origin: Origin, found: Key): Promise<Key> {
  return needs.keyChanges.change(found, async () => {
    needs.kmsWrites.take(found.tenant_id, KMS_WRITES.rotation(found));
    const promoted = await promote(needs, origin, await begin(needs, found.id));
    if (retiringCount(promoted) === 0) return promoted;
    await destroyRetiring(needs.kms, promoted, ALREADY_TAKEN);
    return needs.store.transact(async (tx) => {
      const finished = withRotationEnded(withRetiringDestroyed(await loadFresh(tx, promoted.id), promoted));
      replaceKey(tx, finished);
      appendEvent(tx, makeEvent(needs.clock, origin, 'rotate_key', promoted.id));
      return finished;
    });
  });
}

/**
 * Completes an interrupted rotation, with an audit row if it retired versions. Leaves a rotation alone that began after
 * `key` was read.
 */
export async function finishRotation(
  needs: DestructionNeeds,
  key: Key,
  madeBefore: Instant,
  takeWrite: TakeWrite,
): Promise<void> {
  await destroyOrphans(needs.kms, key, madeBefore, takeWrite);
  await destroyRetiring(needs.kms, key, takeWrite);
  await needs.store.transact(async (tx) => {
    const fresh = await loadFresh(tx, key.id);
    const finished = withRetiringDestroyed(fresh, key);
    const isUnderWay = fresh.unfinished_since !== key.unfinished_since;
    replaceKey(tx, isUnderWay ? finished : { ...finished, rotations: 0, unfinished_since: null });
    const origin = { requestId: null, tenantId: key.tenant_id };
    const hasEnded = retiringCount(finished) < retiringCount(fresh);
    if (hasEnded) appendEvent(tx, makeEvent(needs.clock, origin, 'rotate_key', key.id));
  });
}

function begin(needs: RotationNeeds, id: KeyId): Promise<Key> {
  return needs.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, needs.clock);
    if (retiringCount(key) >= RETIRING_AT_MOST) {
      throw new ApiError('unavailable', 'too many replaced versions of this key have yet to be destroyed');
    }
    const begun = { ...key, rotations: key.rotations + 1, unfinished_since: needs.clock.now() };
    replaceKey(tx, begun);
    return begun;
  });
}

async function promote(needs: RotationNeeds, origin: Origin, begun: Key): Promise<Key> {
  for (let key = begun; ; ) {
    const next = key.primary_version + 1;
    const material = await makeMaterial(needs, key, next);
    const decided = await needs.store.transact(async (tx) => {
      const fresh = await loadFresh(tx, key.id);
      refusePending(fresh, needs.clock);
      // A retry after the answer to this commit was lost.
      if (isVersionOf(fresh, material)) return { fresh, promoted: fresh };
      if (mayLackVersions(fresh, begun)) throw new ApiError('unavailable', 'too many rotations of this key at once');
      // A data key is bound to its version number, which another rotation has taken.
      if (fresh.primary_version + 1 !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const renewed = withPrimary(fresh, material, needs.clock.now());
      const isDone = retiringCount(renewed) === 0;
      const promoted = isDone ? withRotationEnded(renewed) : renewed;
      replaceKey(tx, promoted);
      if (isDone) appendEvent(tx, makeEvent(needs.clock, origin, 'rotate_key', key.id));
      return { fresh, promoted };
    });
    if (decided.promoted !== undefined) return decided.promoted;
    key = decided.fresh;
  }
}

/** Throws the key's refusal when the failure is due to a concurrent destruction. */
async function makeMaterial(needs: RotationNeeds, key: Key, version: number): Promise<KeyVersion['material']> {
  try {
    return await makeNextMaterial(needs, key, version);
  } catch (error) {
    await needs.store.transact(async (tx) => refusePending(await loadFresh(tx, key.id), needs.clock));
    throw error;
  }
}

function withRotationEnded(key: Key): Key {
  const rotations = Math.max(0, key.rotations - 1);
  return { ...key, rotations, unfinished_since: rotations === 0 ? null : key.unfinished_since };
}
