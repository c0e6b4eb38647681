import type { Instant } from '../base/clock.ts';
import { TIER } from '../tiers.ts';
import type { Key, KeyVersion } from './key.ts';

type Material = KeyVersion['material'];

/** The number of destroyed versions that are stored and shown. Older ones are dropped. */
const SHOWN = 10;

/** Returns the enabled versions and the ten newest others. */
export function shownVersions({ versions }: Key): KeyVersion[] {
  return withNewest(versions, ({ state }) => state === 'enabled');
}

export interface NextRotation {
  readonly version: number;
  /** The enabled versions after the rotation, and the versions that the rotation retires. */
  readonly keeps: readonly number[];
  readonly retires: readonly number[];
}

/** Returns what the next rotation will do. Skips version numbers that a database restore has lost. */
export function nextRotation({ primary_version, lost_version = 0, tier, versions }: Key): NextRotation {
  const version = Math.max(primary_version, lost_version) + 1;
  const enabled = versions.filter(({ state }) => state === 'enabled').map((old) => old.version);
  const excess = Math.max(0, enabled.length + 1 - TIER[tier].retainedVersions);
  return { version, keeps: enabled.slice(excess), retires: enabled.slice(0, excess) };
}

/** Returns the key with a new primary version. Versions that the tier no longer retains stay enabled. */
export function withPrimary(key: Key, material: Material, now: Instant): Key {
  const { version } = nextRotation(key);
  const primary: KeyVersion = { version, state: 'enabled', created_at: now, material };
  return { ...key, primary_version: version, versions: [...key.versions, primary] };
}

/** Returns the enabled versions that the tier does not retain, oldest first. */
export function surplusVersions({ tier, versions }: Key): KeyVersion[] {
  return versions.filter(({ state }) => state === 'enabled').slice(0, -TIER[tier].retainedVersions);
}

/** Returns when the version stopped being primary, not counting the time that the commit took. */
export function replacedAt({ versions }: Key, { version }: KeyVersion): Instant | undefined {
  return versions.find((newer) => newer.version > version)?.created_at;
}

/**
 * Returns the key with those surplus versions retired that were already surplus in `before`. If the key has been rotated
 * since, a version that its tier retained until then may have stopped being primary only now.
 */
export function withSurplusRetired(key: Key, before: Key): Key {
  const known = new Set(surplusVersions(before).map(({ version }) => version));
  const surplus = new Set(surplusVersions(key).filter(({ version }) => known.has(version)));
  return { ...key, versions: pruned(key.versions.map((old) => (surplus.has(old) ? retired(old) : old))) };
}

/** Returns the key with those versions marked as destroyed that were `retiring` in `before`. */
export function withRetiringDestroyed(key: Key, before: Key): Key {
  const retiring = new Set(before.versions.filter(({ state }) => state === 'retiring').map(({ version }) => version));
  return { ...key, versions: pruned(key.versions.map((old) => (retiring.has(old.version) ? destroyed(old) : old))) };
}

/** Returns the key with the versions `made`, of which the last is primary. Marks `retired` versions as destroyed. */
export function withRotations(key: Key, made: readonly KeyVersion[], retired: readonly number[]): Key {
  const known = key.versions.map((old) => (retired.includes(old.version) ? destroyed(old) : old));
  const primary_version = made.at(-1)?.version ?? key.primary_version;
  return { ...key, primary_version, versions: pruned([...known, ...made]) };
}

/** Returns the key with all versions destroyed, without their data keys. */
export function withoutMaterial(key: Key): Key {
  return { ...key, versions: pruned(key.versions.map(destroyed)) };
}

export function retiringCount({ versions }: Key): number {
  return versions.filter(({ state }) => state === 'retiring').length;
}

/** Whether the KMS may hold a CryptoKey for the key. Also true after an interrupted creation. */
export function hasCryptoKey({ versions }: Key): boolean {
  return versions.every(({ material }) => material.kind === 'crypto_key_version');
}

export function namesInKms({ versions }: Pick<Key, 'versions'>, ...states: readonly KeyVersion['state'][]): string[] {
  const materials = versions.filter(({ state }) => states.includes(state)).map(({ material }) => material);
  return materials.flatMap((material) => (material.kind === 'crypto_key_version' ? material.name : []));
}

function retired(version: KeyVersion): KeyVersion {
  return version.material.kind === 'data_key' ? destroyed(version) : { ...version, state: 'retiring' };
}

function destroyed(version: KeyVersion): KeyVersion {
  const { material } = version;
  const wiped = material.kind === 'data_key' ? { ...material, wrapped: null } : material;
  return { ...version, state: 'destroy_scheduled', material: wiped };
}

/** Removes old destroyed versions, to limit the size of the stored key. */
function pruned(versions: readonly KeyVersion[]): KeyVersion[] {
  return withNewest(versions, ({ state }) => state !== 'destroy_scheduled');
}

function withNewest(versions: readonly KeyVersion[], stays: (version: KeyVersion) => boolean): KeyVersion[] {
  const newest = new Set(versions.filter((version) => !stays(version)).slice(-SHOWN));
  return versions.filter((version) => stays(version) || newest.has(version));
}
