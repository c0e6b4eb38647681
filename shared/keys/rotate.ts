import { makeEvent, type Origin } from '../audit/record.ts';
import type { Instant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { loadFresh } from './fresh.ts';
import { enterKeyChange } from './gate.ts';
import { refusePending } from './guards.ts';
import { KEYS, type Key, type KeyVersion } from './key.ts';
import { destroyRetiring, destroyStrays, makeNextMaterial, retire, retired } from './material.ts';
import { TIER } from './tiers.ts';

/**
 * Gives the key a new primary version, and destroys every enabled one beyond the tier's retained count. In steps, each
 * of which leaves the key usable: note that work with the KMS has begun; make the version; make it primary and retire
 * the old ones; where the KMS holds those, have it destroy them. The row is written with the last step. What a crash
 * cuts off is finished by {@link finishRotation}. Throws `key_pending_deletion`, or `unavailable` when too many keys are
 * being changed.
 */
export function rotateKey(env: Env, origin: Origin, { id }: Key): Promise<Key> {
  return enterKeyChange(env, async () => {
    const begun = await begin(env, id);
    const promoted = await promote(env, origin, begun);
    return isRetiring(promoted) ? finish(env, origin, promoted, begun.unfinished_since) : promoted;
  });
}

/** Finishes a rotation that was cut off, and clears what one made before then that never came into the record. */
export async function finishRotation(env: Env, key: Key, madeBefore: Instant): Promise<void> {
  await destroyStrays(env, key, madeBefore);
  await finish(env, { requestId: null, tenantId: key.tenant_id }, key, key.unfinished_since);
}

/** Has the KMS destroy the retiring versions, then records the rotation that retired them. */
async function finish(env: Env, origin: Origin, key: Key, mark: Instant | null): Promise<Key> {
  await destroyRetiring(env, key);
  return env.store.transact(async (tx) => {
    const fresh = await loadFresh(tx, key.id);
    const finished = afterKms(fresh, mark);
    tx.replace(KEYS, key.id, finished);
    // A request's rotation is recorded whatever others finished meanwhile; a cut-off one only if it came so far.
    const isDue = origin.requestId !== null || isRetiring(fresh);
    if (isDue) env.audit.append(tx, makeEvent(env, origin, 'rotate_key', key.id));
    return finished;
  });
}

/** A rotation that finds another one unfinished leaves that one's mark: its work is looked at again later. */
function begin(env: Env, id: KeyId): Promise<Key> {
  return env.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, env.clock);
    if (key.unfinished_since !== null) return { ...key, unfinished_since: null };
    const begun = { ...key, unfinished_since: env.clock.now() };
    tx.replace(KEYS, id, begun);
    return begun;
  });
}

async function promote(env: Env, origin: Origin, begun: Key): Promise<Key> {
  for (let key = begun; ; ) {
    const next = key.primary_version + 1;
    const material = await makeNextMaterial(env, key, next);
    const decided = await env.store.transact(async (tx) => {
      const fresh = await loadFresh(tx, key.id);
      refusePending(fresh, env.clock);
      // A data key is bound to its version's number; when another rotation took the number, it cannot serve.
      if (fresh.primary_version + 1 !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const renewed = withPrimary(fresh, material, env.clock.now());
      const promoted = isRetiring(renewed) ? renewed : afterKms(renewed, begun.unfinished_since);
      tx.replace(KEYS, key.id, promoted);
      if (!isRetiring(promoted)) env.audit.append(tx, makeEvent(env, origin, 'rotate_key', key.id));
      return { fresh, promoted };
    });
    if (decided.promoted !== undefined) return decided.promoted;
    key = decided.fresh;
  }
}

function withPrimary(key: Key, material: KeyVersion['material'], now: Instant): Key {
  const version: KeyVersion = { version: key.primary_version + 1, state: 'enabled', created_at: now, material };
  const oldestRetained = version.version - TIER[key.tier].retainedVersions + 1;
  const others = key.versions.map((old) =>
    old.state === 'enabled' && old.version < oldestRetained ? retire(old) : old,
  );
  return { ...key, primary_version: version.version, versions: [...others, version] };
}

function afterKms(key: Key, mark: Instant | null): Key {
  const versions = key.versions.map((old) => (old.state === 'retiring' ? retired(old) : old));
  return { ...key, versions, unfinished_since: key.unfinished_since === mark ? null : key.unfinished_since };
}

function isRetiring(key: Key): boolean {
  return key.versions.some(({ state }) => state === 'retiring');
}
