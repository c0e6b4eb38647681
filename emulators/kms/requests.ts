import { status } from '@grpc/grpc-js';
import { createCRC32 } from 'hash-wasm';
import type { Checksum, ListRequest } from './messages.ts';

export class KmsError extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidArgument(message: string): KmsError {
  return new KmsError(status.INVALID_ARGUMENT, message);
}

export function notFound(kind: string, name: string): KmsError {
  return new KmsError(status.NOT_FOUND, `${kind} ${name} not found.`);
}

export function alreadyExists(kind: string, name: string): KmsError {
  return new KmsError(status.ALREADY_EXISTS, `${kind} ${name} already exists.`);
}

export function failedPrecondition(message: string): KmsError {
  return new KmsError(status.FAILED_PRECONDITION, message);
}

/** Returns the error for a feature of Cloud KMS that the emulator does not have. */
export function unimplemented(what: string): KmsError {
  return new KmsError(status.UNIMPLEMENTED, `The KMS emulator does not implement ${what}.`);
}

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

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;

function offsetOf(token: string): number {
  if (token === '') return 0;
  const offset = Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isSafeInteger(offset) || offset < 1) throw invalidArgument('Invalid value in field page_token.');
  return offset;
}

interface Page<Resource> {
  readonly page: Resource[];
  /** The token of the next page. Empty on the last page. */
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/**
 * Returns a page of resources. The page token is an offset. An offset stays correct, because resources are never
 * deleted and new ones come last. Can throw INVALID_ARGUMENT.
 */
export function pageOf<Resource>(
  resources: readonly Resource[],
  request: ListRequest,
  passes: (resource: Resource) => boolean = () => true,
): Page<Resource> {
  if (request.pageSize < 0) throw invalidArgument('Invalid value in field page_size.');
  const start = offsetOf(request.pageToken);
  const size = Math.min(request.pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const passing = resources.flatMap((resource, offset) => (passes(resource) ? [{ resource, offset }] : []));
  const rest = passing.filter(({ offset }) => offset >= start);
  const next = rest[size];
  const nextPageToken = next === undefined ? '' : Buffer.from(String(next.offset)).toString('base64url');
  return { page: rest.slice(0, size).map(({ resource }) => resource), nextPageToken, totalSize: passing.length };
}

// The Castagnoli polynomial, with its bits reversed (RFC 3720 §12.1).
const hasher = await createCRC32(0x82f63b78);

/** Returns the CRC32C of the bytes as an unsigned 32-bit number (RFC 3720 §12.1 and B.4). */
export const crc32c = (bytes: Uint8Array): number => Number.parseInt(hasher.init().update(bytes).digest('hex'), 16);

/** Returns whether the client sent a checksum for the field. Throws INVALID_ARGUMENT if the checksum is wrong. */
export function verifyChecksum(field: string, bytes: Buffer, checksum: Checksum): boolean {
  if (checksum === null) return false;
  if (checksum.value !== crc32c(bytes)) {
    throw invalidArgument(`The checksum in field ${field}_crc32c did not match the data in field ${field}.`);
  }
  return true;
}
