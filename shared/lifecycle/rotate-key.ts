import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { Clock } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ApiError } from '../errors.ts';
import { refusePending, refuseUnusable } from '../keys/guards.ts';
import { isLive, KEYS, type Key, type KeyVersion } from '../keys/key.ts';
import {
  hasCryptoKey,
  type NextRotation,
  nextRotation,
  replacedAt,
  retiringCount,
  surplusVersions,
  withPrimary,
  withRetiringDestroyed,
  withSurplusRetired,
} from '../keys/versions.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { isInterrupted, replaceKey } from './due.ts';
import { changeRecorded, loadFresh } from './key-changes.ts';
import type { DestructionServices, KeyServices } from './key-services.ts';
import {
  ALREADY_TAKEN,
  destroyOrphans,
  destroyRetiring,
  KMS_WRITES,
  listInKms,
  makeNextMaterial,
  makePrimaryInKms,
  type TakeWrite,
} from './material.ts';
import { isSettled } from './settle.ts';

/** Rotation is refused if this many old versions are not destroyed yet. */
const UNDESTROYED_AT_MOST = 10;

/**
 * Makes a new primary version and destroys the oldest versions if there are more than the tier retains. The key stays
 * usable after each step: store that the rotation began; make the version; store it as primary, with the audit row;
 * retire old versions half a second after they stopped being primary; destroy them in the KMS; make the new version
 * primary in the KMS. Only logs a failure after the third step. Throws `key_pending_deletion`, `key_frozen` or
 * `unavailable`.
 */
export async function rotateKey(services: KeyServices, origin: Origin, found: Key): Promise<Key> {
  // Before the queue, so that requests to rotate a frozen key hold up no other change of the key.
  refuseUnusable(found, services.clock);
  return services.keyChanges.changeInParts(found, async (inTurn) => {
    const promoted = await inTurn('kms', async () => {
      // An earlier change in the queue may have left more versions to destroy.
      const latest = (await services.store.find(KEYS, found.id)) ?? found;
      const begun = await services.kmsWrites.takeFor(found.tenant_id, KMS_WRITES.rotation(latest), () =>
        begin(services, found.id),
      );
      return promote(services, origin, begun);
    });
    const usesKms = hasCryptoKey(promoted);
    let rotated = promoted;
    try {
      if (mustSettle(services, promoted)) await services.settle();
      await inTurn(usesKms ? 'kms' : 'store', async () => {
        if (!usesKms || surplusVersions(promoted).length > 0) rotated = await retire(services, promoted);
        if (usesKms) await endInKms(services, rotated, promoted);
      });
    } catch (error) {
      services.log.write('finishing a rotation failed; destroy-due-keys retries it', { key_id: promoted.id }, error);
    }
    return rotated;
  });
}

/** Finishes an interrupted rotation. Does nothing if a new one began. */
export async function finishRotation(services: DestructionServices, read: Key, takeWrite: TakeWrite): Promise<void> {
  const listed = await listInKms(services.kms, read);
  const found = await services.store.find(KEYS, read.id);
  // If another rotation began since the first read, it may still be making a listed version.
  if (found === undefined || found.unfinished_since !== read.unfinished_since) return;
  const key = surplusVersions(found).length > 0 ? await services.settle().then(() => retire(services, found)) : found;
  await destroyOrphans(services.kms, key, listed, takeWrite);
  await makeNewestPrimary(services, key, takeWrite);
  await destroyRetiring(services.kms, key, takeWrite);
  await services.store.transact(async (tx) => {
    const fresh = await loadFresh(tx, key.id);
    const finished = withRetiringDestroyed(fresh, key);
    const hasNewRotation = fresh.unfinished_since !== read.unfinished_since;
    replaceKey(tx, hasNewRotation ? finished : { ...finished, rotations: 0, unfinished_since: null });
  });
}

function begin(services: KeyServices, id: KeyId): Promise<Key> {
  return services.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    refuseUnusable(key, services.clock);
    if (retiringCount(key) + surplusVersions(key).length >= UNDESTROYED_AT_MOST) {
      throw new ApiError('unavailable', 'too many old versions of this key are waiting to be destroyed');
    }
    const begun = { ...key, rotations: key.rotations + 1, unfinished_since: services.clock.now() };
    replaceKey(tx, begun);
    return begun;
  });
}

async function promote(services: KeyServices, origin: Origin, begun: Key): Promise<Key> {
  for (let key = begun; ; ) {
    const next = nextRotation(key).version;
    refuseInterrupted(services, begun);
    const material = await makeMaterial(services, key, next);
    const decided = await changeRecorded(services.store, async (tx) => {
      const fresh = await loadFresh(tx, key.id);
      refuseUnusable(fresh, services.clock);
      refuseInterrupted(services, begun);
      // A data key is bound to its version number. If another rotation has used the number, make another data key.
      if (nextRotation(fresh).version !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const promoted = withPrimary(fresh, material, services.clock.now());
      replaceKey(tx, promoted);
      appendEvent(tx, makeEvent(services.clock, origin, 'rotate_key', key.id));
      logPromoted(services, tx, promoted, nextRotation(fresh));
      return { fresh, promoted };
    });
    if (decided.promoted !== undefined) return decided.promoted;
    key = decided.fresh;
  }
}

/** Logs the enabled versions as they are after the retirement, which is logged nowhere else. */
function logPromoted(
  { log }: { readonly log: Log },
  tx: Transaction,
  { id, tenant_id, primary_version }: Key,
  { keeps }: NextRotation,
): void {
  const enabled_versions = [...keeps, primary_version];
  logRedo(tx, log, { message: 'key rotated', tenant_id, target_id: id, primary_version, enabled_versions });
}

/** Whether a version that the rotation retires may have been primary less than half a second ago. */
function mustSettle({ clock }: { readonly clock: Clock }, promoted: Key): boolean {
  return surplusVersions(promoted).some((version) => !isSettled(replacedAt(promoted, version), clock.now()));
}

/** Retires the versions that the tier does not retain and that have not been primary since half a second before. */
function retire({ store }: { readonly store: Store }, before: Key): Promise<Key> {
  return store.unguarded.transact(async (tx) => {
    const fresh = await tx.find(KEYS, before.id);
    if (fresh === undefined || !isLive(fresh)) return before;
    const retired = withSurplusRetired(fresh, before);
    const stored = hasCryptoKey(retired) ? retired : withRotationEnded(retired);
    replaceKey(tx, stored);
    return stored;
  });
}

/** Destroys the retired versions in the KMS, and makes the new version primary there. */
async function endInKms(services: KeyServices, retired: Key, promoted: Key): Promise<void> {
  const { kms, store } = services;
  await destroyRetiring(kms, retired, ALREADY_TAKEN);
  await makeNewestPrimary(services, promoted, ALREADY_TAKEN);
  await store.unguarded.transact(async (tx) => {
    const fresh = await tx.find(KEYS, promoted.id);
    if (fresh === undefined || !isLive(fresh)) return;
    const finished = withRetiringDestroyed(fresh, retired);
    // If another process rotated the key during the call of the KMS, an older version may now be primary there.
    // `destroy-due-keys` corrects that.
    const isNewest = fresh.primary_version === promoted.primary_version;
    replaceKey(tx, isNewest ? withRotationEnded(finished) : finished);
  });
}

/** Makes the key's primary version primary in the KMS, unless the key has been rotated again since it was read. */
async function makeNewestPrimary(
  { kms, store }: Pick<KeyServices, 'kms' | 'store'>,
  key: Key,
  takeWrite: TakeWrite,
): Promise<void> {
  const latest = await store.unguarded.find(KEYS, key.id);
  if (latest?.primary_version === key.primary_version) await makePrimaryInKms(kms, key, takeWrite);
}

/** Throws `unavailable` if the rotation was too slow: a scheduled run may have destroyed its new version. */
function refuseInterrupted({ clock }: { readonly clock: Clock }, begun: Key): void {
  if (isInterrupted(begun, clock.now())) throw new ApiError('unavailable', 'the rotation took too long');
}

/** Makes a version's material. Throws the key's error if a concurrent destruction of the key caused a failure. */
async function makeMaterial(services: KeyServices, key: Key, version: number): Promise<KeyVersion['material']> {
  try {
    return await makeNextMaterial(services, key, version);
  } catch (error) {
    await services.store.transact(async (tx) => refusePending(await loadFresh(tx, key.id), services.clock));
    throw error;
  }
}

function withRotationEnded(key: Key): Key {
  const rotations = Math.max(0, key.rotations - 1);
  return { ...key, rotations, unfinished_since: rotations === 0 ? null : key.unfinished_since };
}
