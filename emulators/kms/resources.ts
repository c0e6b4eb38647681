import type { CryptoKey, CryptoKeyVersion, KeyRing, KmsState } from './model.ts';
import { failedPrecondition, notFound, versionName } from './requests.ts';
import { expire, generate } from './versions.ts';

/** The resources in memory, by name. After each change, call `changed` to save them. */
export interface Kms {
  readonly keyRings: Map<string, KeyRing>;
  readonly cryptoKeys: Map<string, CryptoKey>;
  readonly now: () => number;
  readonly changed: () => void;
}

export const makeKms = (state: KmsState, now: () => number, changed: () => void): Kms => ({
  keyRings: new Map(state.keyRings.map((keyRing) => [keyRing.name, keyRing])),
  cryptoKeys: new Map(state.cryptoKeys.map((key) => [key.name, key])),
  now,
  changed,
});

/** Returns a key ring. Throws NOT_FOUND if it does not exist. */
export const loadKeyRing = (kms: Kms, name: string): KeyRing => {
  const keyRing = kms.keyRings.get(name);
  if (keyRing === undefined) throw notFound('KeyRing', name);
  return keyRing;
};

/** Returns a key. Throws NOT_FOUND if it does not exist. */
export const loadCryptoKey = (kms: Kms, name: string): CryptoKey => {
  const key = kms.cryptoKeys.get(name);
  if (key === undefined) throw notFound('CryptoKey', name);
  return key;
};

export const replaceVersion = (kms: Kms, key: CryptoKey, version: CryptoKeyVersion): CryptoKeyVersion => {
  key.versions[version.id - 1] = version;
  kms.changed();
  return version;
};

/**
 * Returns a version, or `undefined` if it does not exist. The first call for a pending version returns it as pending,
 * and then generates its key material. So clients must handle pending versions, as in Cloud KMS.
 */
export const findVersion = (kms: Kms, key: CryptoKey, id: number): CryptoKeyVersion | undefined => {
  const stored = key.versions[id - 1];
  if (stored === undefined) return undefined;
  const now = kms.now();
  const seen = expire(stored, now);
  const next = seen.state === 'PENDING_GENERATION' ? generate(seen, key.algorithm, now) : seen;
  if (next !== stored) replaceVersion(kms, key, next);
  return seen;
};

/** Returns a version of a key. Throws NOT_FOUND if it does not exist. */
export const loadVersion = (kms: Kms, key: CryptoKey, id: number): CryptoKeyVersion => {
  const version = findVersion(kms, key, id);
  if (version === undefined) throw notFound('CryptoKeyVersion', versionName(key.name, id));
  return version;
};

/** Returns the id of the primary version. Throws FAILED_PRECONDITION if the key has no primary version. */
export const loadPrimaryId = (key: CryptoKey): number => {
  if (key.primary === null) throw failedPrecondition(`CryptoKey ${key.name} has no primary CryptoKeyVersion.`);
  return key.primary;
};

/** Deletes key material whose destroy time has passed. */
export const expireVersions = (kms: Kms): void => {
  const now = kms.now();
  for (const key of kms.cryptoKeys.values()) {
    for (const version of key.versions) {
      const current = expire(version, now);
      if (current !== version) replaceVersion(kms, key, current);
    }
  }
};
