import { createCRC32 } from 'hash-wasm';
import { makeOnce } from '../base/make-once.ts';

/** The Castagnoli polynomial, reflected (RFC 3720 §12.1). */
const CASTAGNOLI = 0x82f63b78;

const compiled = makeOnce(() => createCRC32(CASTAGNOLI));

/** Returns the checksum as an unsigned 32-bit integer. The first call compiles the WebAssembly. */
export async function crc32c(bytes: Uint8Array): Promise<number> {
  const hasher = await compiled();
  return Number.parseInt(hasher.init().update(bytes).digest('hex'), 16);
}
