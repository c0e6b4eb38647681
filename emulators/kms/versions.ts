import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { CryptoKeyVersionView, CryptoKeyView, KeyRingView } from './messages.ts';
import type { Algorithm, CryptoKey, CryptoKeyVersion, KeyRing } from './model.ts';
import { failedPrecondition, versionName } from './requests.ts';

export type Purpose = 'ENCRYPT_DECRYPT' | 'ASYMMETRIC_SIGN';

export const PURPOSE_OF: Record<Algorithm, Purpose> = {
  GOOGLE_SYMMETRIC_ENCRYPTION: 'ENCRYPT_DECRYPT',
  EC_SIGN_ED25519: 'ASYMMETRIC_SIGN',
};

/** Generates an AES-256 key, or a key pair. Of a key pair, returns the private key. */
const generateKey = (algorithm: Algorithm): KeyObject =>
  algorithm === 'EC_SIGN_ED25519' ? generateKeyPairSync('ed25519').privateKey : createSecretKey(randomBytes(32));

/** Throws FAILED_PRECONDITION if the key has a purpose other than `purpose`. */
export const refuseOtherPurpose = (key: CryptoKey, purpose: Purpose): void => {
  if (PURPOSE_OF[key.algorithm] === purpose) return;
  throw failedPrecondition(
    `${key.name} has purpose ${PURPOSE_OF[key.algorithm]}, which cannot be used where ${purpose} is needed.`,
  );
};

type Pending = Extract<CryptoKeyVersion, { state: 'PENDING_GENERATION' }>;

export const generate = (version: Pending, algorithm: Algorithm, now: number): CryptoKeyVersion => ({
  ...version,
  state: 'ENABLED',
  generateTime: now,
  key: generateKey(algorithm),
});

/**
 * Makes a new version. As in Cloud KMS, symmetric software keys are ready immediately. Key pairs and HSM keys start as
 * PENDING_GENERATION.
 */
export const makeVersion = (
  id: number,
  { algorithm, protectionLevel }: Pick<CryptoKey, 'algorithm' | 'protectionLevel'>,
  now: number,
): CryptoKeyVersion => {
  const pending: Pending = { state: 'PENDING_GENERATION', id, createTime: now };
  const isSlow = protectionLevel === 'HSM' || algorithm === 'EC_SIGN_ED25519';
  return isSlow ? pending : generate(pending, algorithm, now);
};

/** Returns the version as it is at the time `now`: DESTROYED if its destroy time has passed. */
export const expire = (version: CryptoKeyVersion, now: number): CryptoKeyVersion => {
  if (version.state !== 'DESTROY_SCHEDULED' || now < version.destroyTime) return version;
  const { id, createTime, generateTime, destroyTime } = version;
  return { state: 'DESTROYED', id, createTime, generateTime, destroyEventTime: destroyTime };
};

const refuseState = (name: string, version: CryptoKeyVersion) =>
  failedPrecondition(
    `The request cannot be fulfilled. Resource ${name} has value ${version.state} in field crypto_key_version.state.`,
  );

/** Returns the version with the state `state`. Throws FAILED_PRECONDITION unless it is ENABLED or DISABLED. */
export const setUsable = (name: string, version: CryptoKeyVersion, state: 'ENABLED' | 'DISABLED'): CryptoKeyVersion => {
  if (version.state !== 'ENABLED' && version.state !== 'DISABLED') throw refuseState(name, version);
  return { ...version, state };
};

/** Returns the version as DESTROY_SCHEDULED. Throws FAILED_PRECONDITION unless it is ENABLED or DISABLED. */
export const scheduleDestruction = (name: string, version: CryptoKeyVersion, destroyTime: number): CryptoKeyVersion => {
  if (version.state !== 'ENABLED' && version.state !== 'DISABLED') throw refuseState(name, version);
  return { ...version, state: 'DESTROY_SCHEDULED', destroyTime };
};

/** Returns the version with the state DISABLED. Throws FAILED_PRECONDITION if the version is not DESTROY_SCHEDULED. */
export const restore = (name: string, version: CryptoKeyVersion): CryptoKeyVersion => {
  if (version.state !== 'DESTROY_SCHEDULED') throw refuseState(name, version);
  const { id, createTime, generateTime, key } = version;
  return { state: 'DISABLED', id, createTime, generateTime, key };
};

/** Returns the key material. Throws FAILED_PRECONDITION if the version is not ENABLED. */
export const loadEnabledKey = (name: string, version: CryptoKeyVersion): KeyObject => {
  if (version.state === 'ENABLED') return version.key;
  throw failedPrecondition(`${name} is not enabled, current state is: ${version.state}.`);
};

/** Converts milliseconds to a google.protobuf.Duration or Timestamp. */
const viewMilliseconds = (milliseconds: number) => ({
  seconds: Math.floor(milliseconds / 1000),
  nanos: Math.round((milliseconds % 1000) * 1_000_000),
});

export const viewKeyRing = ({ name, createTime }: KeyRing): KeyRingView => ({
  name,
  createTime: viewMilliseconds(createTime),
});

export const viewVersion = (key: CryptoKey, version: CryptoKeyVersion): CryptoKeyVersionView => ({
  name: versionName(key.name, version.id),
  state: version.state,
  protectionLevel: key.protectionLevel,
  algorithm: key.algorithm,
  createTime: viewMilliseconds(version.createTime),
  ...('generateTime' in version && { generateTime: viewMilliseconds(version.generateTime) }),
  ...('destroyTime' in version && { destroyTime: viewMilliseconds(version.destroyTime) }),
  ...('destroyEventTime' in version && { destroyEventTime: viewMilliseconds(version.destroyEventTime) }),
});

export const viewCryptoKey = (key: CryptoKey, primary: CryptoKeyVersion | undefined): CryptoKeyView => ({
  name: key.name,
  ...(primary && { primary: viewVersion(key, primary) }),
  purpose: PURPOSE_OF[key.algorithm],
  createTime: viewMilliseconds(key.createTime),
  versionTemplate: { protectionLevel: key.protectionLevel, algorithm: key.algorithm },
  destroyScheduledDuration: viewMilliseconds(key.destroyScheduledDuration),
});
