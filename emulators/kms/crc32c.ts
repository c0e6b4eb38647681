import { createCRC32 } from 'hash-wasm';

// The Castagnoli polynomial, with its bits reversed (RFC 3720 §12.1).
const hasher = await createCRC32(0x82f63b78);

/** Returns the CRC32C of the bytes as an unsigned 32-bit number (RFC 3720 §12.1 and B.4). */
export const crc32c = (bytes: Uint8Array): number => Number.parseInt(hasher.init().update(bytes).digest('hex'), 16);
