import { type Bytes, concat } from '../files/bytes.ts';
import { FormatError } from '../files/format-error.ts';
import { bytesOfKeyId, keyIdOfBytes } from '../files/key-id.ts';

/** A record's parts. */
export interface RecordParts {
  /** The id of the service's key. */
  readonly keyId: string;
  /** The data key that the record is under, wrapped by the service. */
  readonly wrapped: Uint8Array;
  /** The record's contents, as chunked encryption makes them. */
  readonly sealed: Uint8Array;
}

/** The first byte tells the format. */
const VERSION = 1;
const KEY_ID_LENGTH = 16;
const FIXED_LENGTH = 1 + KEY_ID_LENGTH + 2;

/**
 * A record's bytes: `0x01`, the key id in 16 bytes, the length of the wrapped data key in two, big-endian, the wrapped
 * data key, and the sealed contents. What is altered in front is noticed when the data key is unwrapped.
 */
export function encodeRecord({ keyId, wrapped, sealed }: RecordParts): Bytes {
  const fixed = new Uint8Array(FIXED_LENGTH);
  fixed[0] = VERSION;
  fixed.set(bytesOfKeyId(keyId), 1);
  new DataView(fixed.buffer).setUint16(FIXED_LENGTH - 2, wrapped.length);
  return concat(fixed, wrapped, sealed);
}

/** Throws a `FormatError` `invalid_record` for bytes that are no record. */
export function parseRecord(record: Uint8Array): RecordParts {
  const bytes = new Uint8Array(record);
  if (bytes.length < FIXED_LENGTH || bytes[0] !== VERSION) throw invalidRecord();
  const end = FIXED_LENGTH + new DataView(bytes.buffer).getUint16(FIXED_LENGTH - 2);
  if (bytes.length < end) throw invalidRecord();
  return {
    keyId: keyIdOfBytes(bytes.subarray(1, 1 + KEY_ID_LENGTH)),
    wrapped: bytes.slice(FIXED_LENGTH, end),
    sealed: bytes.slice(end),
  };
}

/** What is thrown for a record that was not made so, with that key and that context. */
export function invalidRecord(): FormatError {
  return new FormatError(
    'invalid_record',
    'the record is malformed or altered, or the context or record id does not match',
  );
}
