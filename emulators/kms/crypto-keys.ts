import { randomBytes } from 'node:crypto';
import type {
  CreateCryptoKeyRequest,
  CreateKeyRingRequest,
  CryptoKeyView,
  Duration,
  GetRequest,
  KeyRingView,
  ListCryptoKeysResponse,
  ListRequest,
  NewCryptoKey,
  UpdateCryptoKeyPrimaryVersionRequest,
} from './messages.ts';
import type { Algorithm, CryptoKey, ProtectionLevel } from './model.ts';
import {
  alreadyExists,
  invalidArgument,
  pageOf,
  parseCryptoKeyName,
  parseId,
  parseKeyRingName,
  parseLocationName,
  parseVersionId,
  unimplemented,
  versionName,
} from './requests.ts';
import { findVersion, type Kms, loadCryptoKey, loadKeyRing, loadVersion } from './resources.ts';
import {
  loadEnabledKey,
  makeVersion,
  PURPOSE_OF,
  type Purpose,
  refuseOtherPurpose,
  viewCryptoKey,
  viewKeyRing,
} from './versions.ts';

const viewNow = (kms: Kms, key: CryptoKey) =>
  viewCryptoKey(key, key.primary === null ? undefined : findVersion(kms, key, key.primary));

/** Creates a key with its first version. Can throw INVALID_ARGUMENT, NOT_FOUND and ALREADY_EXISTS. */
export const createCryptoKey = (kms: Kms, request: CreateCryptoKeyRequest): CryptoKeyView => {
  const keyRing = loadKeyRing(kms, parseKeyRingName('parent', request.parent));
  const name = `${keyRing.name}/cryptoKeys/${parseId('crypto_key_id', request.cryptoKeyId)}`;
  const settings = parseKeySettings(request.cryptoKey);
  if (kms.cryptoKeys.has(name)) throw alreadyExists('CryptoKey', name);
  const createTime = kms.now();
  const first = makeVersion(1, settings, createTime);
  const hasPrimary = PURPOSE_OF[settings.algorithm] === 'ENCRYPT_DECRYPT';
  const key: CryptoKey = {
    name,
    uid: randomBytes(16),
    createTime,
    ...settings,
    primary: hasPrimary ? first.id : null,
    versions: [first],
  };
  kms.cryptoKeys.set(name, key);
  kms.changed();
  return viewCryptoKey(key, hasPrimary ? first : undefined);
};

/** Returns a key. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export const getCryptoKey = (kms: Kms, request: GetRequest): CryptoKeyView =>
  viewNow(kms, loadCryptoKey(kms, parseCryptoKeyName('name', request.name)));

/**
 * Returns a page of a key ring's keys. Can throw INVALID_ARGUMENT and NOT_FOUND. Throws UNIMPLEMENTED if the request
 * has a filter or an order.
 */
export const listCryptoKeys = (kms: Kms, request: ListRequest): ListCryptoKeysResponse => {
  const keyRing = loadKeyRing(kms, parseKeyRingName('parent', request.parent));
  if (request.filter !== '' || request.orderBy !== '') throw unimplemented('filter and order_by of keys');
  const keys = [...kms.cryptoKeys.values()].filter((key) => key.name.startsWith(`${keyRing.name}/`));
  const { page, nextPageToken, totalSize } = pageOf(keys, request);
  return { cryptoKeys: page.map((key) => viewNow(kms, key)), nextPageToken, totalSize };
};

/**
 * Makes a version the primary version of its key. Can throw INVALID_ARGUMENT and NOT_FOUND. Throws FAILED_PRECONDITION
 * if the key is for signing or the version is not enabled.
 */
export const updateCryptoKeyPrimaryVersion = (
  kms: Kms,
  request: UpdateCryptoKeyPrimaryVersionRequest,
): CryptoKeyView => {
  const key = loadCryptoKey(kms, parseCryptoKeyName('name', request.name));
  refuseOtherPurpose(key, 'ENCRYPT_DECRYPT');
  const version = loadVersion(kms, key, Number(parseVersionId('crypto_key_version_id', request.cryptoKeyVersionId)));
  loadEnabledKey(versionName(key.name, version.id), version);
  key.primary = version.id;
  kms.changed();
  return viewCryptoKey(key, version);
};

/** Creates a key ring. Can throw INVALID_ARGUMENT and ALREADY_EXISTS. */
export function createKeyRing(kms: Kms, request: CreateKeyRingRequest): KeyRingView {
  const location = parseLocationName('parent', request.parent);
  const name = `${location}/keyRings/${parseId('key_ring_id', request.keyRingId)}`;
  if (kms.keyRings.has(name)) throw alreadyExists('KeyRing', name);
  const keyRing = { name, createTime: kms.now() };
  kms.keyRings.set(name, keyRing);
  kms.changed();
  return viewKeyRing(keyRing);
}

/** Returns a key ring. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export function getKeyRing(kms: Kms, request: GetRequest): KeyRingView {
  return viewKeyRing(loadKeyRing(kms, parseKeyRingName('name', request.name)));
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DEFAULT_DESTROY_SCHEDULED_DURATION = 30 * DAY;

/** The settings of a key that can never change. */
type KeySettings = Pick<CryptoKey, 'algorithm' | 'protectionLevel' | 'destroyScheduledDuration'>;

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
const parseKeySettings = (key: NewCryptoKey | null): KeySettings => {
  if (key === null) throw invalidArgument('Missing value in field crypto_key.');
  const purpose = parsePurpose(key.purpose);
  return {
    algorithm: parseAlgorithm(purpose, key.versionTemplate?.algorithm ?? UNSET),
    protectionLevel: parseProtectionLevel(key.versionTemplate?.protectionLevel ?? 'SOFTWARE'),
    destroyScheduledDuration: parseDestroyScheduledDuration(key.destroyScheduledDuration),
  };
};
