import { createHmac, type KeyObject } from 'node:crypto';

const FIRST = Buffer.of(0, 0, 0, 1);
const BLOCK_BYTES = 64;

/** NIST SP 800-108r1 §4.1 in counter mode, HMAC-SHA512. Throws a `RangeError` if `length` is over 64 bytes. */
export function deriveKey(key: KeyObject, fixedInput: Uint8Array, length: number): Buffer {
  if (length > BLOCK_BYTES) throw new RangeError(`a derived key must be at most ${BLOCK_BYTES} bytes long`);
  const block = createHmac('sha512', key).update(FIRST).update(fixedInput).digest();
  block.fill(0, length);
  return block.subarray(0, length);
}
