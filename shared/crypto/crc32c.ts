import { createCRC32 } from 'hash-wasm';

/** The Castagnoli polynomial, reflected (RFC 3720 §12.1). */
const hasher = await createCRC32(0x82f63b78);

/** CRC32C of `bytes`, as an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array): number {
  return Number.parseInt(hasher.init().update(bytes).digest('hex'), 16);
}
