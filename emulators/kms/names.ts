import { invalidArgument, type KmsError } from './kms-error.ts';

const ID = '[a-zA-Z0-9_-]{1,63}';
const LOCATION = 'projects/[^/]+/locations/[^/]+';
const KEY_RING = `${LOCATION}/keyRings/${ID}`;
const CRYPTO_KEY = `${KEY_RING}/cryptoKeys/${ID}`;
const VERSION_ID = '[1-9][0-9]{0,8}';

const ID_PATTERN = new RegExp(`^${ID}$`);
const LOCATION_PATTERN = new RegExp(`^${LOCATION}$`);
const KEY_RING_PATTERN = new RegExp(`^${KEY_RING}$`);
const CRYPTO_KEY_PATTERN = new RegExp(`^${CRYPTO_KEY}$`);
const VERSION_PATTERN = new RegExp(`^(?<cryptoKey>${CRYPTO_KEY})/cryptoKeyVersions/(?<id>${VERSION_ID})$`);
const ENCRYPT_PATTERN = new RegExp(`^(?<cryptoKey>${CRYPTO_KEY})(?:/cryptoKeyVersions/(?<id>${VERSION_ID}))?$`);
const VERSION_ID_PATTERN = new RegExp(`^${VERSION_ID}$`);

/** The parts of a version's name. `id` is the number of the version, starting at 1. */
interface VersionName {
  readonly cryptoKey: string;
  readonly id: number;
}

/** The name of a CryptoKey version, or the name of a CryptoKey if `id` is missing. */
type EncryptName = Pick<VersionName, 'cryptoKey'> & Partial<VersionName>;

function malformed(field: string, value: string): KmsError {
  return invalidArgument(`Invalid value in field ${field}: "${value}".`);
}

function refuseMismatch(pattern: RegExp, field: string, value: string): string {
  if (!pattern.test(value)) throw malformed(field, value);
  return value;
}

/** Returns the id. Throws INVALID_ARGUMENT if the id does not match `[a-zA-Z0-9_-]{1,63}`. */
export function parseId(field: string, value: string): string {
  return refuseMismatch(ID_PATTERN, field, value);
}

/**
 * Returns the name of a location. Like all parse functions in this file, throws INVALID_ARGUMENT for a malformed name.
 */
export function parseLocationName(field: string, value: string): string {
  return refuseMismatch(LOCATION_PATTERN, field, value);
}

export function parseKeyRingName(field: string, value: string): string {
  return refuseMismatch(KEY_RING_PATTERN, field, value);
}

export function parseCryptoKeyName(field: string, value: string): string {
  return refuseMismatch(CRYPTO_KEY_PATTERN, field, value);
}

export function parseVersionName(field: string, value: string): VersionName {
  const { cryptoKey, id } = VERSION_PATTERN.exec(value)?.groups ?? {};
  if (cryptoKey === undefined || id === undefined) throw malformed(field, value);
  return { cryptoKey, id: Number(id) };
}

/** Parses the name of a CryptoKey or of one of its versions. */
export function parseEncryptName(field: string, value: string): EncryptName {
  const { cryptoKey, id } = ENCRYPT_PATTERN.exec(value)?.groups ?? {};
  if (cryptoKey === undefined) throw malformed(field, value);
  return id === undefined ? { cryptoKey } : { cryptoKey, id: Number(id) };
}

export function parseVersionId(field: string, value: string): number {
  return Number(refuseMismatch(VERSION_ID_PATTERN, field, value));
}

export function versionName(cryptoKey: string, id: number): string {
  return `${cryptoKey}/cryptoKeyVersions/${id}`;
}
