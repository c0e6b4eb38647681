import type { KeyObject } from 'node:crypto';
import { generateKey } from './algorithms.ts';
import { failedPrecondition } from './kms-error.ts';
import type { Algorithm, CryptoKey, CryptoKeyVersion } from './model.ts';

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
