import { createCRC32 } from 'hash-wasm';
import { invalidArgument } from './kms-error.ts';
import type { Checksum } from './messages.ts';

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
