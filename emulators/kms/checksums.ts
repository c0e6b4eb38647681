import { crc32c } from './crc32c.ts';
import { invalidArgument } from './kms-error.ts';
import type { Checksum } from './messages.ts';

/** Returns whether the client sent a checksum for the field. Throws INVALID_ARGUMENT if the checksum is wrong. */
export function verifyChecksum(field: string, bytes: Buffer, checksum: Checksum): boolean {
  if (checksum === null) return false;
  if (checksum.value !== crc32c(bytes)) {
    throw invalidArgument(`The checksum in field ${field}_crc32c did not match the data in field ${field}.`);
  }
  return true;
}
