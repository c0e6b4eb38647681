import { type Bytes, concat } from '../files/bytes.ts';
import { FormatError } from '../files/format-error.ts';
import { bytesOfKeyId, keyIdOfBytes } from '../files/key-id.ts';

export interface RecordParts {
  readonly keyId: string;
  /** The data key, wrapped by the service. */
  readonly wrapped: Uint8Array;
  readonly sealed: Uint8Array;
}

/** The first byte identifies the format. */
const VERSION = 1;
const KEY_ID_LENGTH = 16;
const FIXED_LENGTH = 1 + KEY_ID_LENGTH + 2;

/**
 * Encodes a record: `0x01`, the key id (16 bytes), the length of the wrapped data key (2 bytes, big-endian), the
 * wrapped data key, and the encrypted contents. If any part before the contents is changed, unwrapping fails.
 */
export function encodeRecord({ keyId, wrapped, sealed }: RecordParts): Bytes {
  const fixed = new Uint8Array(FIXED_LENGTH);
  fixed[0] = VERSION;
  fixed.set(bytesOfKeyId(keyId), 1);
  new DataView(fixed.buffer).setUint16(FIXED_LENGTH - 2, wrapped.length);
  return concat(fixed, wrapped, sealed);
}

/** Returns the parts of a record, without copying them. Throws a `FormatError` if it is malformed. Verifies nothing. */
export function parseRecord(bytes: Bytes): RecordParts {
  if (bytes.length < FIXED_LENGTH || bytes[0] !== VERSION) throw invalidRecord();
  const end = FIXED_LENGTH + new DataView(bytes.buffer, bytes.byteOffset).getUint16(FIXED_LENGTH - 2);
  if (bytes.length < end) throw invalidRecord();
  return {
    keyId: keyIdOfBytes(bytes.subarray(1, 1 + KEY_ID_LENGTH)),
    wrapped: bytes.subarray(FIXED_LENGTH, end),
    sealed: bytes.subarray(end),
  };
}

export function invalidRecord(): FormatError {
  return new FormatError(
    'invalid_record',
    'the record is malformed or altered, or the context or record id does not match',
  );
}
