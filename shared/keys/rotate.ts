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
    const promoted = await promote(env, origin, await begin(env, id));
    if (!isRetiring(promoted)) return promoted;
    await destroyRetiring(env, promoted);
    return env.store.transact(async (tx) => {
      const finished = ended(afterKms(await loadFresh(tx, id), promoted));
      tx.replace(KEYS, id, finished);
      env.audit.append(tx, makeEvent(env, origin, 'rotate_key', id));
      return finished;
    });
  });
}

/**
 * Finishes a rotation that was cut off, and records it where it came so far as to retire versions; clears what one made
 * before `madeBefore` that never came into the record.
 */
export async function finishRotation(env: Env, key: Key, madeBefore: Instant): Promise<void> {
  await destroyStrays(env, key, madeBefore);
  await destroyRetiring(env, key);
  await env.store.transact(async (tx) => {
    const finished = afterKms(await loadFresh(tx, key.id), key);
    tx.replace(KEYS, key.id, { ...finished, rotations: 0, unfinished_since: null });
    const origin = { requestId: null, tenantId: key.tenant_id };
    if (isRetiring(key)) env.audit.append(tx, makeEvent(env, origin, 'rotate_key', key.id));
  });
}

function begin(env: Env, id: KeyId): Promise<Key> {
  return env.store.transact(async (tx) => {
    const key = await loadFresh(tx, id);
    refusePending(key, env.clock);
    const since = key.unfinished_since ?? env.clock.now();
    const begun = { ...key, rotations: key.rotations + 1, unfinished_since: since };
    tx.replace(KEYS, id, begun);
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
      // A data key is bound to its version's number; when another rotation took the number, it cannot serve.
      if (fresh.primary_version + 1 !== next && material.kind === 'data_key') return { fresh, promoted: undefined };
      const renewed = withPrimary(fresh, material, env.clock.now());
      const promoted = isRetiring(renewed) ? renewed : ended(renewed);
      tx.replace(KEYS, key.id, promoted);
      if (!isRetiring(promoted)) env.audit.append(tx, makeEvent(env, origin, 'rotate_key', key.id));
      return { fresh, promoted };
    });
    if (decided.promoted !== undefined) return decided.promoted;
    key = decided.fresh;
  }
}

function isVersionOf({ versions }: Key, material: KeyVersion['material']): boolean {
  if (material.kind !== 'crypto_key_version') return false;
  return versions.some((version) => version.material.kind === material.kind && version.material.name === material.name);
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

function withPrimary(key: Key, material: KeyVersion['material'], now: Instant): Key {
  const version: KeyVersion = { version: key.primary_version + 1, state: 'enabled', created_at: now, material };
  const oldestRetained = version.version - TIER[key.tier].retainedVersions + 1;
  const others = key.versions.map((old) =>
    old.state === 'enabled' && old.version < oldestRetained ? retire(old) : old,
  );
  return { ...key, primary_version: version.version, versions: [...others, version] };
}

/** The key as it is now, with the versions gone that were retiring in `before`, when the KMS was told to destroy them. */
function afterKms(key: Key, before: Key): Key {
  const gone = new Set(before.versions.filter(({ state }) => state === 'retiring').map(({ version }) => version));
  return { ...key, versions: key.versions.map((old) => (gone.has(old.version) ? retired(old) : old)) };
}

/** The key with one rotation fewer under way. */
function ended(key: Key): Key {
  const rotations = Math.max(0, key.rotations - 1);
  return { ...key, rotations, unfinished_since: rotations === 0 ? null : key.unfinished_since };
}

function isRetiring(key: Key): boolean {
  return key.versions.some(({ state }) => state === 'retiring');
}
