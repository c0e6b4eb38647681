import { createHmac, type KeyObject } from 'node:crypto';

/** The KDF of NIST SP 800-108r1 §4.1 in counter mode: HMAC-SHA256, a 32-bit counter before the fixed input. */
export function deriveKey(key: KeyObject, fixedInput: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0; made < length; made += 32) {
    counter.writeUInt32BE(blocks.length + 1);
    blocks.push(createHmac('sha256', key).update(counter).update(fixedInput).digest());
  }
  const derived = Buffer.concat(blocks, length);
  for (const block of blocks) block.fill(0);
  return derived;
}
