import { appendEvent } from '../audit/event.ts';
import { makeEvent, type Origin } from '../audit/record.ts';
import type { KeyId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { refusePending } from '../keys/guards.ts';
import { isLive, KEYS, type Key, type KeyVersion } from '../keys/key.ts';
import {
  hasCryptoKey,
  isVersionOf,
  mayLackVersions,
  nextRotation,
  retiringCount,
  withPrimary,
  withRetiringDestroyed,
} from '../keys/versions.ts';
import type { DestructionServices, KeyServices, Services } from '../services.ts';
import type { Transaction } from '../store/transaction.ts';
import { logRedo } from '../tenancy/redo-log.ts';
import { isInterrupted, replaceKey } from './due.ts';
import { loadFresh } from './key-changes.ts';
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

/** Rotation is refused if this many versions still have to be destroyed in the KMS. */
const RETIRING_AT_MOST = 10;

/**
 * Makes a new primary version and destroys the oldest versions if there are more than the tier retains. The key stays
 * usable after each step: store that KMS work began; make the version; store it as primary; destroy old versions in the
 * KMS; write the audit row; make the version primary in the KMS. Throws `key_pending_deletion` or `unavailable`.
 */
export function rotateKey(services: KeyServices, origin: Origin, found: Key): Promise<Key> {
  return services.keyChanges.change(found, 'kms', async () => {
    refusePending(found, services.clock);
    const begun = await services.kmsWrites.takeFor(found.tenant_id, KMS_WRITES.rotation(found), () =>
      begin(services, found.id),
    );
    const promoted = await promote(services, origin, begun);
    const rotated = retiringCount(promoted) === 0 ? promoted : await destroyRetired(services, origin, promoted);
    if (hasCryptoKey(rotated)) await tryMakePrimary(services, promoted);
    return rotated;
  });
}

/** Finishes an interrupted rotation. Adds its audit row if it retired versions. Does nothing if a new one began. */
export async function finishRotation(services: DestructionServices, read: Key, takeWrite: TakeWrite): Promise<void> {
  const listed = await listInKms(services.kms, read);
  const key = await services.store.find(KEYS, read.id);
  // If another rotation began since the first read, it may still be making a listed version.
  if (key === undefined || key.unfinished_since !== read.unfinished_since) return;
  await destroyOrphans(services.kms, key, listed, takeWrite);
  await makePrimaryInKms(services.kms, key, takeWrite);
  await destroyRetiring(services.kms, key, takeWrite);
  await services.store.transact(async (tx) => {
    const fresh = await loadFresh(tx, key.id);
    const finished = withRetiringDestroyed(fresh, key);
    const hasNewRotation = fresh.unfinished_since !== key.unfinished_since;
    replaceKey(tx, hasNewRotation ? finished : { ...finished, rotations: 0, unfinished_since: null });
    const origin = { requestId: null, tenantId: key.tenant_id };
    const hasDestroyed = retiringCount(finished) < retiringCount(fresh);
    if (hasDestroyed) appendEvent(tx, makeEvent(services.clock, origin, 'rotate_key', key.id));
  });
}

function begin(services: KeyServices, id: KeyId): Promise<Key> {
  return services.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, services.clock);
    if (retiringCount(key) >= RETIRING_AT_MOST) {
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
    const decided = await services.store.transact(async (tx) => {
      const fresh = await loadFresh(tx, key.id);
      refusePending(fresh, services.clock);
      // If an earlier attempt was committed but its answer was lost, commit again: the log line needs a commit time.
      if (isVersionOf(fresh, material)) {
        replacePromoted(services, tx, fresh);
        return { fresh, promoted: fresh };
      }
      refuseInterrupted(services, begun);
      if (mayLackVersions(fresh, begun))
        throw new ApiError('unavailable', 'too many rotations of this key in progress');
      // A data key is bound to its version number. If another rotation has used the number, make another data key.
      if (nextRotation(fresh).version !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const renewed = withPrimary(fresh, material, services.clock.now());
      const promoted = hasCryptoKey(renewed) ? renewed : withRotationEnded(renewed);
      replacePromoted(services, tx, promoted);
      if (retiringCount(promoted) === 0) appendEvent(tx, makeEvent(services.clock, origin, 'rotate_key', key.id));
      return { fresh, promoted };
    });
    if (decided.promoted !== undefined) return decided.promoted;
    key = decided.fresh;
  }
}

function replacePromoted({ log }: Pick<Services, 'log'>, tx: Transaction, promoted: Key): void {
  replaceKey(tx, promoted);
  const { id, tenant_id, primary_version, versions } = promoted;
  const enabled_versions = versions.filter(({ state }) => state === 'enabled').map(({ version }) => version);
  logRedo(tx, log, { message: 'key rotated', tenant_id, target_id: id, primary_version, enabled_versions });
}

async function destroyRetired(services: KeyServices, origin: Origin, promoted: Key): Promise<Key> {
  await destroyRetiring(services.kms, promoted, ALREADY_TAKEN);
  return services.store.transact(async (tx) => {
    const finished = withRetiringDestroyed(await loadFresh(tx, promoted.id), promoted);
    replaceKey(tx, finished);
    appendEvent(tx, makeEvent(services.clock, origin, 'rotate_key', promoted.id));
    return finished;
  });
}

/** Makes the new version primary in the KMS. Only logs a failure: `destroy-due-keys` retries this step. */
async function tryMakePrimary({ kms, store, log }: KeyServices, promoted: Key): Promise<void> {
  try {
    await makePrimaryInKms(kms, promoted, ALREADY_TAKEN);
    await store.transact(async (tx) => {
      const fresh = await tx.find(KEYS, promoted.id);
      // If another process has rotated the key meanwhile, this call may have made an older version primary in the KMS.
      // `destroy-due-keys` corrects that.
      if (fresh === undefined || !isLive(fresh) || fresh.primary_version !== promoted.primary_version) return;
      replaceKey(tx, withRotationEnded(fresh));
    });
  } catch (error) {
    const fields = { key_id: promoted.id };
    log.write('making a key version primary in the KMS failed; destroy-due-keys retries it', fields, error);
  }
}

/** Throws `unavailable` if the rotation was too slow: a scheduled run may have destroyed its new version. */
function refuseInterrupted({ clock }: Pick<Services, 'clock'>, begun: Key): void {
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
