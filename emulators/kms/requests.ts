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

const VERSION_PATTERN = new RegExp(`^(?<cryptoKey>${CRYPTO_KEY})/cryptoKeyVersions/(?<id>${VERSION_ID})$`);

/** The parts of a version's name. `id` is the number of the version, starting at 1. */
interface VersionName {
  readonly cryptoKey: string;
  readonly id: number;
}

/** Returns a function that returns the value of a field. The function throws INVALID_ARGUMENT for a malformed value. */
function parserOf(syntax: string): (field: string, value: string) => string {
  const pattern = new RegExp(`^${syntax}$`);
  return (field, value) => {
    if (!pattern.test(value)) throw invalidArgument(`Invalid value in field ${field}: "${value}".`);
    return value;
  };
}

export const parseId = parserOf(ID);
export const parseVersionId = parserOf(VERSION_ID);
export const parseLocationName = parserOf(LOCATION);
export const parseKeyRingName = parserOf(KEY_RING);
export const parseCryptoKeyName = parserOf(CRYPTO_KEY);

/** Parses the name of a CryptoKey version. Throws INVALID_ARGUMENT for a malformed name. */
export function parseVersionName(field: string, value: string): VersionName {
  const { cryptoKey, id } = VERSION_PATTERN.exec(value)?.groups ?? {};
  if (cryptoKey === undefined || id === undefined)
    throw invalidArgument(`Invalid value in field ${field}: "${value}".`);
  return { cryptoKey, id: Number(id) };
}

/** Parses the name of a CryptoKey, whose `id` is then missing, or of one of its versions. */
export function parseEncryptName(field: string, value: string): Pick<VersionName, 'cryptoKey'> & Partial<VersionName> {
  return VERSION_PATTERN.test(value) ? parseVersionName(field, value) : { cryptoKey: parseCryptoKeyName(field, value) };
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
