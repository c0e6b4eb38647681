import { makeEvent, type Origin } from '../audit/record.ts';
import type { Instant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { loadFresh } from './fresh.ts';
import { refusePending } from './guards.ts';
import { KEYS, type Key, type KeyVersion } from './key.ts';
import { destroyRetired, makeNextMaterial, retire } from './material.ts';
import { TIER } from './tiers.ts';

/**
 * Gives the key a new primary version, and destroys every enabled one beyond the tier's retained count. In steps, each
 * of which leaves the key usable: note that work with the KMS has begun; make the version; make it primary and retire
 * the old ones; have the KMS destroy those; write the row. What a crash cuts off is finished by {@link finishRotation}.
 * Throws `key_pending_deletion`.
 */
export async function rotateKey(env: Env, origin: Origin, { id }: Key): Promise<Key> {
  const begun = await begin(env, id);
  const promoted = await promote(env, begun);
  await destroyRetired(env, promoted);
  return env.store.transact(async (tx) => {
    const finished = afterKms(await loadFresh(tx, id), begun.unfinished_since);
    tx.replace(KEYS, id, finished);
    env.audit.append(tx, makeEvent(env, origin, 'rotate_key', id));
    return finished;
  });
}

/** Has the KMS destroy what a cut-off rotation left: retired versions, and versions that never came into the record. */
export async function finishRotation(env: Env, key: Key): Promise<void> {
  await destroyRetired(env, key);
  await env.store.transact(async (tx) => {
    const fresh = await tx.find(KEYS, key.id);
    if (fresh !== undefined) tx.replace(KEYS, key.id, afterKms(fresh, key.unfinished_since));
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

async function promote(env: Env, begun: Key): Promise<Key> {
  for (let key = begun; ; ) {
    const next = key.primary_version + 1;
    const material = await makeNextMaterial(env, key, next);
    const decided = await env.store.transact(async (tx) => {
      const fresh = await loadFresh(tx, key.id);
      refusePending(fresh, env.clock);
      // A data key is bound to its version's number; when another rotation took the number, it cannot serve.
      if (fresh.primary_version + 1 !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const promoted = withPrimary(fresh, material, env.clock.now());
      tx.replace(KEYS, key.id, promoted);
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
    old.state === 'enabled' && old.version < oldestRetained ? retire(old, 'retiring') : old,
  );
  return { ...key, primary_version: version.version, versions: [...others, version] };
}

function afterKms(key: Key, mark: Instant | null): Key {
  const versions = key.versions.map((old) => (old.state === 'retiring' ? retire(old, 'destroy_scheduled') : old));
  return { ...key, versions, unfinished_since: key.unfinished_since === mark ? null : key.unfinished_since };
}
