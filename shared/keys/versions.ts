import type { Instant } from '../base/clock.ts';
import type { Key, KeyVersion } from './key.ts';
import { TIER } from './tiers.ts';

type Material = KeyVersion['material'];

/** Of the versions that are not enabled any more the newest ten are shown. */
const SHOWN = 10;

/** The versions that the key's owner is shown. */
export function shownVersions({ versions }: Key): KeyVersion[] {
  return withNewest(versions, ({ state }) => state === 'enabled');
}

/** The key with another primary version, every enabled one beyond the tier's retained count retired. */
export function withPrimary(key: Key, material: Material, now: Instant): Key {
  const version: KeyVersion = { version: key.primary_version + 1, state: 'enabled', created_at: now, material };
  const oldestRetained = version.version - TIER[key.tier].retainedVersions + 1;
  const others = key.versions.map((old) =>
    old.state === 'enabled' && old.version < oldestRetained ? retired(old) : old,
  );
  return { ...key, primary_version: version.version, versions: remembered([...others, version]) };
}

/** The key as it is now, with the versions gone that were retiring in `before`, when the KMS was told to destroy them. */
export function afterKms(key: Key, before: Key): Key {
  const told = new Set(before.versions.filter(({ state }) => state === 'retiring').map(({ version }) => version));
  return { ...key, versions: remembered(key.versions.map((old) => (told.has(old.version) ? gone(old) : old))) };
}

/** The key with no version left to use. */
export function withoutMaterial(key: Key): Key {
  return { ...key, versions: remembered(key.versions.map(gone)) };
}

/** How many versions are replaced, but not yet destroyed in the KMS. */
export function retiringCount({ versions }: Key): number {
  return versions.filter(({ state }) => state === 'retiring').length;
}

/** Whether the material is that of one of the key's versions. */
export function isVersionOf({ versions }: Key, material: Material): boolean {
  if (material.kind !== 'crypto_key_version') return false;
  return versions.some((version) => version.material.kind === material.kind && version.material.name === material.name);
}

/**
 * Whether the key has had so many other versions since `before` that one of them may have been forgotten: up to then every
 * version since is in the record.
 */
export function mayHaveForgotten(key: Key, before: Key): boolean {
  return key.primary_version - before.primary_version > SHOWN;
}

/** Whether the KMS holds a CryptoKey for the key; one whose creation was cut off may have one. */
export function hasCryptoKey({ versions }: Key): boolean {
  return versions.every(({ material }) => material.kind === 'crypto_key_version');
}

/** The names in the KMS of the key's versions in that state. */
export function namesInKms({ versions }: Key, ...states: readonly KeyVersion['state'][]): string[] {
  const materials = versions.filter(({ state }) => states.includes(state)).map(({ material }) => material);
  return materials.flatMap((material) => (material.kind === 'crypto_key_version' ? material.name : []));
}

/** The version no longer enabled: a data key is wiped with that; a version in the KMS has still to be destroyed there. */
function retired(version: KeyVersion): KeyVersion {
  return version.material.kind === 'data_key' ? gone(version) : { ...version, state: 'retiring' };
}

/** The version gone for good, its data key wiped. */
function gone(version: KeyVersion): KeyVersion {
  const { material } = version;
  const wiped = material.kind === 'data_key' ? { ...material, wrapped: null } : material;
  return { ...version, state: 'destroy_scheduled', material: wiped };
}

/**
 * The versions without those that nothing needs any more: older ones that are gone. So the record has the same size
 * however often the key was rotated.
 */
function remembered(versions: readonly KeyVersion[]): KeyVersion[] {
  return withNewest(versions, ({ state }) => state !== 'destroy_scheduled');
}

/** The versions that are to stay, and of the others the newest. */
function withNewest(versions: readonly KeyVersion[], stays: (version: KeyVersion) => boolean): KeyVersion[] {
  const newest = new Set(versions.filter((version) => !stays(version)).slice(-SHOWN));
  return versions.filter((version) => stays(version) || newest.has(version));
}
