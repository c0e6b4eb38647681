import { createCipheriv } from 'node:crypto';

/*
 * A slow and simple AES-256-GCM with 96-bit IVs and 128-bit tags, after NIST SP 800-38D §6 and §7. It shares no code
 * with the GCM that the service uses.
 */

const BLOCK_BYTES = 16;
const R = 0xe1n << 120n;

/** Returns the ciphertext, followed by its tag. */
export function sealGcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Buffer {
  const ciphertext = encryptCounters(key, iv, 2, plaintext);
  return Buffer.concat([ciphertext, tagOf(key, iv, aad, ciphertext)]);
}

/** Returns the plaintext, or `undefined` when the tag does not match. */
export function openGcm(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  const ciphertext = sealed.subarray(0, -BLOCK_BYTES);
  const fits = tagOf(key, iv, aad, ciphertext).equals(sealed.subarray(-BLOCK_BYTES));
  return fits ? encryptCounters(key, iv, 2, ciphertext) : undefined;
}

/** GCTR (§6.5): encrypts `text` with the counter blocks from `first` on. */
function encryptCounters(key: Uint8Array, iv: Uint8Array, first: number, text: Uint8Array): Buffer {
  const stream = blocksOf(text).map((_, index) => encryptBlock(key, counterBlock(iv, first + index)));
  const mask = Buffer.concat(stream);
  return Buffer.from(text.map((byte, at) => byte ^ mask.readUInt8(at)));
}

/** The tag (§7.1, steps 5 and 6): GHASH of aad, ciphertext and their lengths, under the first counter block. */
function tagOf(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, ciphertext: Uint8Array): Buffer {
  const lengths = (BigInt(aad.length * 8) << 64n) | BigInt(ciphertext.length * 8);
  const blocks = [...blocksOf(aad), ...blocksOf(ciphertext), toBytes(lengths)].map(toInteger);
  const h = toInteger(encryptBlock(key, Buffer.alloc(BLOCK_BYTES)));
  const hashed = blocks.reduce((y, block) => multiply(y ^ block, h), 0n);
  return encryptCounters(key, iv, 1, toBytes(hashed));
}

/** Multiplication in GF(2^128), with the bit order of §6.3. */
function multiply(x: bigint, y: bigint): bigint {
  let z = 0n;
  let v = y;
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((x >> bit) & 1n) z ^= v;
    v = v & 1n ? (v >> 1n) ^ R : v >> 1n;
  }
  return z;
}

function encryptBlock(key: Uint8Array, block: Uint8Array): Buffer {
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block);
}

function counterBlock(iv: Uint8Array, counter: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(iv);
  block.writeUInt32BE(counter, 12);
  return block;
}

function blocksOf(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / BLOCK_BYTES) }, (_, index) => {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.set(bytes.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES));
    return block;
  });
}

function toInteger(block: Buffer): bigint {
  return BigInt(`0x${block.toString('hex')}`);
}

function toBytes(integer: bigint): Buffer {
  return Buffer.from(integer.toString(16).padStart(32, '0'), 'hex');
}
