import { createCRC32, type IHasher } from 'hash-wasm';

/** The Castagnoli polynomial, reflected (RFC 3720 §12.1). */
const CASTAGNOLI = 0x82f63b78;

let compiled: Promise<IHasher> | undefined;

/** Returns the checksum as an unsigned 32-bit integer. The first call compiles the WebAssembly. */
export async function crc32c(bytes: Uint8Array): Promise<number> {
  compiled ??= createCRC32(CASTAGNOLI);
  const hasher = await compiled;
  return Number.parseInt(hasher.init().update(bytes).digest('hex'), 16);
}
