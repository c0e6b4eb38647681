import type { Purpose } from './algorithms.ts';
import { invalidArgument, unimplemented } from './kms-error.ts';
import type { Duration, NewCryptoKey } from './messages.ts';
import type { Algorithm, CryptoKey, ProtectionLevel } from './model.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DEFAULT_DESTROY_SCHEDULED_DURATION = 30 * DAY;

/** The settings of a key that can never change. */
type KeySettings = Pick<CryptoKey, 'algorithm' | 'protectionLevel' | 'destroyScheduledDuration' | 'labels'>;

const parseDestroyScheduledDuration = (duration: Duration | null): number => {
  if (duration === null) return DEFAULT_DESTROY_SCHEDULED_DURATION;
  const milliseconds = duration.seconds * 1000 + duration.nanos / 1_000_000;
  if (milliseconds < 24 * HOUR || milliseconds > 120 * DAY) {
    throw invalidArgument('Field destroy_scheduled_duration must be between 24 hours and 120 days.');
  }
  return milliseconds;
};

const parseProtectionLevel = (level: string | number): ProtectionLevel => {
  if (level === 'SOFTWARE' || level === 'PROTECTION_LEVEL_UNSPECIFIED') return 'SOFTWARE';
  if (level === 'HSM') return 'HSM';
  throw unimplemented(`protection level ${level}`);
};

const parsePurpose = (purpose: string | number): Purpose => {
  if (purpose === 'ENCRYPT_DECRYPT' || purpose === 'ASYMMETRIC_SIGN') return purpose;
  if (purpose === 'CRYPTO_KEY_PURPOSE_UNSPECIFIED') throw invalidArgument('Missing value in field crypto_key.purpose.');
  throw unimplemented(`purpose ${purpose}`);
};

const UNSET = 'CRYPTO_KEY_VERSION_ALGORITHM_UNSPECIFIED';
const SIGNING_ALGORITHM = /^(?:EC|RSA|PQ)_SIGN_/;

/**
 * Parses the algorithm of a new key. For encryption, it may be missing, because there is a default. For signing, the
 * request must name one.
 */
const parseAlgorithm = (purpose: Purpose, algorithm: string | number): Algorithm => {
  if (purpose === 'ENCRYPT_DECRYPT' && (algorithm === UNSET || algorithm === 'GOOGLE_SYMMETRIC_ENCRYPTION')) {
    return 'GOOGLE_SYMMETRIC_ENCRYPTION';
  }
  if (purpose === 'ASYMMETRIC_SIGN') {
    if (algorithm === 'EC_SIGN_ED25519') return algorithm;
    if (SIGNING_ALGORITHM.test(String(algorithm))) throw unimplemented(`algorithm ${algorithm}`);
  }
  throw invalidArgument(`Algorithm ${algorithm} cannot be used with purpose ${purpose}.`);
};

/**
 * Parses the settings of a new key. Can throw INVALID_ARGUMENT. Throws UNIMPLEMENTED for features of Cloud KMS that the
 * emulator does not have.
 */
export const parseKeySettings = (key: NewCryptoKey | null): KeySettings => {
  if (key === null) throw invalidArgument('Missing value in field crypto_key.');
  const purpose = parsePurpose(key.purpose);
  if (key.nextRotationTime !== null || key.rotationPeriod !== undefined) throw unimplemented('automatic rotation');
  if (key.importOnly) throw unimplemented('imported keys');
  return {
    algorithm: parseAlgorithm(purpose, key.versionTemplate?.algorithm ?? UNSET),
    protectionLevel: parseProtectionLevel(key.versionTemplate?.protectionLevel ?? 'SOFTWARE'),
    destroyScheduledDuration: parseDestroyScheduledDuration(key.destroyScheduledDuration),
    labels: key.labels,
  };
};
