import { isDeepStrictEqual } from 'node:util';
import { viewInstant } from '../../shared/base/clock.ts';
import { isLive, KEYS, KEYS_OF_ALL, type Key, type KeyVersion } from '../../shared/keys/key.ts';
import { hasCryptoKey, namesInKms } from '../../shared/keys/versions.ts';
import type { CryptoKeyVersion } from '../../shared/kms/inventory.ts';
import { isInterrupted, isToBeDestroyed } from '../../shared/lifecycle/due.ts';
import { adoptRotations, findLostRotations, type LostRotations } from '../../shared/lifecycle/lost-rotations.ts';
import { checkEach, type Finding, Part } from './part.ts';
import type { CheckServices } from './services.ts';
import { checkDataKeys, checkVersion, findingAbout } from './versions.ts';

/** The findings about a key, and the rotations that the stored key lacks. */
interface Found {
  readonly findings: readonly Finding[];
  readonly lost?: LostRotations | undefined;
}

/**
 * Checks that every enabled version of every live key is usable in the KMS. `adopt` stores rotations that the store has
 * lost.
 */
export async function checkKeys(services: CheckServices, adopt: boolean) {
  const part = new Part('Keys against the KMS', {
    'live keys': 0,
    'enabled versions': 0,
    'keys being destroyed, not checked': 0,
  });
  await checkEach(services.store.pages(KEYS_OF_ALL, { equal: [] }), async (read) => {
    if (!isLive(read)) return;
    const checked = await checkUnchanged(services, read, adopt);
    if (checked === undefined) return part.count('keys being destroyed, not checked');
    part.count('live keys');
    part.count('enabled versions', enabledVersions(checked.key).length);
    part.findings.push(...checked.findings);
    part.adopted.push(...checked.adopted);
  });
  return part;
}

/** Checks a key. If the key changes during the check, checks it again. Returns `undefined` if it is being destroyed. */
async function checkUnchanged(services: CheckServices, read: Key, adopt: boolean) {
  for (let key = read; isLive(key) && !isBeingDestroyed(key, services); ) {
    const { findings, lost } = await checkKey(services, key);
    const rotations = lost === undefined ? [] : [describeLost(key, lost)];
    if (adopt && lost !== undefined && (await adoptRotations(services, key, lost)))
      return { key, findings, adopted: rotations };
    const all = [...rotations, ...findings];
    const fresh = all.length === 0 ? key : await services.store.find(KEYS, key.id);
    if (fresh === undefined) return undefined;
    if (isDeepStrictEqual(fresh, key)) return { key, findings: all, adopted: [] };
    key = fresh;
  }
  return undefined;
}

function isBeingDestroyed(key: Key, { clock }: CheckServices): boolean {
  return key.destroying || isToBeDestroyed(key, clock.now());
}

/** Whether a rotation is in progress. The stored key might not list its new version yet. */
function isBeingRotated(key: Key, { clock }: CheckServices): boolean {
  return key.unfinished_since !== null && !isInterrupted(key, clock.now());
}

async function checkKey(services: CheckServices, key: Key): Promise<Found> {
  const enabled = enabledVersions(key);
  if (!hasCryptoKey(key)) return { findings: await checkDataKeys(services, key, enabled) };
  const inKms = await services.inventory.versions(`${services.config.keyRing}/cryptoKeys/${key.id}`);
  if (inKms === undefined) {
    const text = 'the KMS has no CryptoKey for this key, so nothing that the key encrypted can be decrypted';
    return { findings: [findingAbout(key, { kind: 'crypto-key-missing', about: {}, text })] };
  }
  if (isBeingRotated(key, services))
    return { findings: enabled.flatMap((version) => checkVersion(key, version, inKms)) };
  const lost = findLostRotations(key, inKms);
  const kept = enabled.filter(({ version }) => !lost?.retired.includes(version));
  const unusable = kept.flatMap((version) => checkVersion(key, version, inKms));
  return { findings: [...unusable, ...findUnlisted(key, inKms, lost)], lost };
}

/**
 * Returns a finding for each enabled version in the KMS that is not in the stored key, unless it comes from a rotation
 * that the store lost.
 */
function findUnlisted(key: Key, inKms: readonly CryptoKeyVersion[], lost: LostRotations | undefined): Finding[] {
  const listed = new Set(
    namesInKms({ versions: [...key.versions, ...(lost?.made ?? [])] }, 'enabled', 'retiring', 'destroy_scheduled'),
  );
  const unlisted = inKms.filter(({ name, state }) => state === 'ENABLED' && !listed.has(name));
  return unlisted.map(({ name, createdAt }) => {
    const created_at = viewInstant(createdAt);
    const text = `the KMS has an enabled version, created at ${created_at}, that the stored key does not list: ${name}`;
    return findingAbout(key, { kind: 'version-unlisted', about: { name, created_at }, text });
  });
}

function describeLost(key: Key, { made, retired }: LostRotations): Finding {
  const numbers = made.map(({ version }) => version).join(', ');
  const text =
    `rotations since the backup created versions (${numbers}) that are enabled in the KMS but missing in the stored key` +
    `${retired.length > 0 ? `, and retired versions (${retired.join(', ')})` : ''}; ` +
    `the service encrypts with version ${key.primary_version}`;
  const about = { primary: key.primary_version, newer: numbers };
  const remedy = 'Run this program with --adopt before destroy-due-keys runs';
  return findingAbout(key, { kind: 'rotation-lost', about, text, remedy });
}

function enabledVersions({ versions }: Key): KeyVersion[] {
  return versions.filter(({ state }) => state === 'enabled');
}
