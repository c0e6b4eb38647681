import { type Bytes, isUint8Array } from '../files/bytes.ts';
import { FormatError } from '../files/format-error.ts';
import { parseRecord, type RecordParts } from '../records/record.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

/** The beginning of a value that is stored as text. */
export const PREFIX = 'esk1.';
/** The length of a data key of 32 bytes that a `free` or `wrapped` key has wrapped, and its first byte. */
const WRAPPED_LENGTH = 68;
const WRAPPED_FORMAT = 1;
/** The least length of the contents of a record: a salt, a commitment and a tag. */
const LEAST_SEALED = 72;

export function textOfRecord(record: Bytes): string {
  return PREFIX + toBase64Url(record);
}

/** Returns the parts of the record in a stored value, or `undefined` if the value is no whole record. */
export function recordIn(value: unknown): RecordParts | undefined {
  const bytes = bytesIn(value);
  if (bytes === undefined) return undefined;
  try {
    const parts = parseRecord(bytes);
    return parts.sealed.length >= LEAST_SEALED && parts.wrapped.length > 0 ? parts : undefined;
  } catch {
    return undefined;
  }
}

function bytesIn(value: unknown): Bytes | undefined {
  if (isUint8Array(value)) return new Uint8Array(value);
  return typeof value === 'string' && value.startsWith(PREFIX) ? fromBase64Url(value.slice(PREFIX.length)) : undefined;
}

/** The key of a record, and the version that wrapped its data key where the record shows it. */
export interface RecordInfo {
  readonly keyId: string;
  /** `null` for `software` and `hsm` keys, whose wrapped data keys are in the format of the KMS. */
  readonly version: number | null;
}

/**
 * Returns the key and the version of a stored value or a record, without calling the service. Throws a `FormatError` if
 * it is no record.
 */
export function recordInfo(value: string | Uint8Array): RecordInfo {
  const parts = recordIn(value);
  if (parts === undefined) throw new FormatError('invalid_record', 'the value is not a record');
  return { keyId: parts.keyId, version: versionOf(parts.wrapped) };
}

/** Returns the version in a data key that a `free` or `wrapped` key has wrapped. */
export function versionOf(wrapped: Uint8Array): number | null {
  if (wrapped.length !== WRAPPED_LENGTH || wrapped[0] !== WRAPPED_FORMAT) return null;
  const [, high = 0, middle = 0, low = 0] = wrapped;
  return (high << 16) | (middle << 8) | low;
}
