import { invalidArgument, unimplemented } from './kms-error.ts';
import type { Duration, NewCryptoKey } from './messages.ts';
import type { CryptoKey, ProtectionLevel } from './model.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DEFAULT_DESTROY_SCHEDULED_DURATION = 30 * DAY;

/** What a client chooses about a key for the whole of its life. */
export type KeySettings = Pick<CryptoKey, 'protectionLevel' | 'destroyScheduledDuration' | 'labels'>;

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

/**
 * The settings of a CryptoKey to create, with Cloud KMS's defaults: SOFTWARE, GOOGLE_SYMMETRIC_ENCRYPTION, 30 days.
 * Throws INVALID_ARGUMENT; UNIMPLEMENTED for other purposes, algorithms and levels, rotation schedules and imports.
 */
export const parseKeySettings = (key: NewCryptoKey | null): KeySettings => {
  if (key === null || key.purpose === 'CRYPTO_KEY_PURPOSE_UNSPECIFIED') {
    throw invalidArgument('Missing value in field crypto_key.purpose.');
  }
  if (key.purpose !== 'ENCRYPT_DECRYPT') throw unimplemented(`purpose ${key.purpose}`);
  if (key.nextRotationTime !== null || key.rotationPeriod !== undefined) throw unimplemented('automatic rotation');
  if (key.importOnly) throw unimplemented('imported keys');
  const algorithm = key.versionTemplate?.algorithm ?? 'CRYPTO_KEY_VERSION_ALGORITHM_UNSPECIFIED';
  if (algorithm !== 'GOOGLE_SYMMETRIC_ENCRYPTION' && algorithm !== 'CRYPTO_KEY_VERSION_ALGORITHM_UNSPECIFIED') {
    throw invalidArgument(`Algorithm ${algorithm} cannot be used with purpose ENCRYPT_DECRYPT.`);
  }
  return {
    protectionLevel: parseProtectionLevel(key.versionTemplate?.protectionLevel ?? 'SOFTWARE'),
    destroyScheduledDuration: parseDestroyScheduledDuration(key.destroyScheduledDuration),
    labels: key.labels,
  };
};
