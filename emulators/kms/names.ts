import { invalidArgument } from './kms-error.ts';

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

/** A version's name taken apart: the name of its CryptoKey and its number there, from 1. */
export interface VersionName {
  cryptoKey: string;
  id: number;
}

const malformed = (field: string, value: string) => invalidArgument(`Invalid value in field ${field}: "${value}".`);

const refuseMismatch = (pattern: RegExp, field: string, value: string) => {
  if (!pattern.test(value)) throw malformed(field, value);
  return value;
};

/** The id of a new key ring or key; throws INVALID_ARGUMENT unless it matches `[a-zA-Z0-9_-]{1,63}`. */
export const parseId = (field: string, value: string): string => refuseMismatch(ID_PATTERN, field, value);

/** A location's name; throws INVALID_ARGUMENT, as all below. */
export const parseLocationName = (field: string, value: string): string =>
  refuseMismatch(LOCATION_PATTERN, field, value);

/** A key ring's name. */
export const parseKeyRingName = (field: string, value: string): string =>
  refuseMismatch(KEY_RING_PATTERN, field, value);

/** A CryptoKey's name. */
export const parseCryptoKeyName = (field: string, value: string): string =>
  refuseMismatch(CRYPTO_KEY_PATTERN, field, value);

/** A CryptoKeyVersion's name. */
export const parseVersionName = (field: string, value: string): VersionName => {
  const { cryptoKey, id } = VERSION_PATTERN.exec(value)?.groups ?? {};
  if (cryptoKey === undefined || id === undefined) throw malformed(field, value);
  return { cryptoKey, id: Number(id) };
};

/** What Encrypt names: a CryptoKey, or one of its versions. */
export const parseEncryptName = (field: string, value: string): { cryptoKey: string; id?: number } => {
  const { cryptoKey, id } = ENCRYPT_PATTERN.exec(value)?.groups ?? {};
  if (cryptoKey === undefined) throw malformed(field, value);
  return id === undefined ? { cryptoKey } : { cryptoKey, id: Number(id) };
};

/** A version's number within its key. */
export const parseVersionId = (field: string, value: string): number =>
  Number(refuseMismatch(VERSION_ID_PATTERN, field, value));

/** The name of a version. */
export const versionName = (cryptoKey: string, id: number): string => `${cryptoKey}/cryptoKeyVersions/${id}`;
