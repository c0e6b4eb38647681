/*
 * A slow and simple AES-256-GCM with 96-bit IVs and 128-bit tags, after NIST SP 800-38D §6 and §7. It shares no code
 * with the GCM that the service uses.
 */
import { createCipheriv, createHash } from 'node:crypto';

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

/*
 * A second implementation of the message format of `free` and `wrapped` keys, written from the format’s description.
 * Tests compare the service with this implementation, which shares no code with the service.
 */

/** The parameters of a message. Ids are 32 hexadecimal digits. */
export interface Terms {
  readonly dataKey: Uint8Array;
  readonly version: number;
  readonly tenantId: string;
  readonly keyId: string;
  readonly aad: Uint8Array;
}

/** Returns the message: format, version, nonce, ciphertext and tag. */
export function sealByReference(terms: Terms, plaintext: Uint8Array, nonce: Uint8Array): Buffer {
  const { key, iv } = deriveMessageKey(terms.dataKey, nonce);
  return Buffer.concat([header(terms), nonce, sealGcm(key, iv, aadOf(terms), plaintext)]);
}

/** Returns the plaintext, or `undefined` when the message was sealed with other parameters. */
export function openByReference(terms: Terms, message: Buffer): Buffer | undefined {
  if (!message.subarray(0, 4).equals(header(terms))) return undefined;
  const { key, iv } = deriveMessageKey(terms.dataKey, message.subarray(4, 20));
  return openGcm(key, iv, aadOf(terms), message.subarray(20));
}

function header({ version }: Terms): Buffer {
  return Buffer.from(`01${version.toString(16).padStart(6, '0')}`, 'hex');
}

function aadOf(terms: Terms): Buffer {
  return Buffer.concat([header(terms), Buffer.from(terms.tenantId + terms.keyId, 'hex'), terms.aad]);
}

/** SP 800-108r1 §4.1: 44 bytes of one block of HMAC-SHA512 over counter, label, zero, context and length in bits. */
function deriveMessageKey(dataKey: Uint8Array, nonce: Uint8Array): { key: Buffer; iv: Buffer } {
  const fixed = Buffer.concat([Buffer.from('encryption-service message key\0'), nonce, Buffer.from('00000160', 'hex')]);
  const derived = hmac(dataKey, Buffer.concat([Buffer.from('00000001', 'hex'), fixed]));
  return { key: derived.subarray(0, 32), iv: derived.subarray(32, 44) };
}

/** RFC 2104, for keys of at most 128 bytes. */
function hmac(key: Uint8Array, text: Uint8Array): Buffer {
  const padded = Buffer.alloc(128);
  padded.set(key);
  const sha512 = (pad: number, rest: Uint8Array) =>
    createHash('sha512')
      .update(padded.map((byte) => byte ^ pad))
      .update(rest)
      .digest();
  return sha512(0x5c, sha512(0x36, text));
}
