import { type Bytes, concat, join, random, unshared, utf8 } from '../files/bytes.ts';
import { type Aes256Gcm, findPrimitives, type Primitives } from './primitives.ts';

const CHUNK_LENGTH = 16_384;
const TAG_LENGTH = 16;
const SEALED_CHUNK_LENGTH = CHUNK_LENGTH + TAG_LENGTH;
export const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const SALT_LENGTH = 24;
const COMMITMENT_LENGTH = 32;
const HEADER_LENGTH = SALT_LENGTH + COMMITMENT_LENGTH;
const LABEL = utf8('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0');
/** The counters of HKDF-Expand's two blocks. */
const FIRST = new Uint8Array([1]);
const SECOND = new Uint8Array([2]);

interface Derived {
  readonly gcm: Aes256Gcm;
  readonly baseNonce: Bytes;
  readonly commitment: Bytes;
}

/**
 * C2SP chunked-encryption: AES-256-GCM in chunks of 16 KiB. HKDF-Expand with SHA-512 derives each message's key,
 * nonce and key commitment from a salt.
 */
export class ChunkedEncryption {
  readonly #primitives: Primitives;
  readonly #hmac: ReturnType<Primitives['hmacSha512']>;

  /** Throws a `RangeError` unless the key has 32 bytes. */
  constructor(key: Uint8Array, primitives: Primitives = findPrimitives()) {
    if (key.length !== KEY_LENGTH) throw new RangeError(`the key must be ${KEY_LENGTH} bytes long`);
    this.#primitives = primitives;
    this.#hmac = primitives.hmacSha512(new Uint8Array(key));
  }

  /**
   * Returns the salt, the commitment and the chunks: 56 bytes more than the message, plus 16 bytes for each chunk.
   * Salts must be unique.
   */
  async seal(message: Uint8Array, context: Uint8Array, salt: Uint8Array = random(SALT_LENGTH)): Promise<Bytes> {
    const { gcm, baseNonce, commitment } = await this.#derive(salt, context);
    const parts: Uint8Array[] = [salt, commitment];
    // The last chunk is always shorter than the other chunks, and can be empty.
    for (let start = 0; start <= message.length; start += CHUNK_LENGTH) {
      const chunk = new Uint8Array(message.subarray(start, start + CHUNK_LENGTH));
      parts.push(await gcm.seal(nonceOf(baseNonce, start / CHUNK_LENGTH), chunk));
    }
    return join(parts);
  }

  /** Returns the message, or `undefined` if any part of it is not authentic. */
  async open(sealed: Uint8Array, context: Uint8Array): Promise<Bytes | undefined> {
    const chunks = unshared(sealed.subarray(HEADER_LENGTH));
    const lastLength = chunks.length % SEALED_CHUNK_LENGTH;
    if (sealed.length < HEADER_LENGTH || lastLength < TAG_LENGTH) return undefined;
    const { gcm, baseNonce, commitment } = await this.#derive(sealed.subarray(0, SALT_LENGTH), context);
    if (!isSame(commitment, sealed.subarray(SALT_LENGTH, HEADER_LENGTH))) return undefined;
    const parts: Uint8Array[] = [];
    for (let start = 0; start < chunks.length; start += SEALED_CHUNK_LENGTH) {
      const chunk = chunks.subarray(start, start + SEALED_CHUNK_LENGTH);
      const opened = await gcm.open(nonceOf(baseNonce, start / SEALED_CHUNK_LENGTH), chunk);
      if (opened === undefined) return undefined;
      parts.push(opened);
    }
    return join(parts);
  }

  async #derive(salt: Uint8Array, context: Uint8Array): Promise<Derived> {
    const info = concat(LABEL, salt, context);
    const first = await this.#hmac(info, FIRST);
    const second = await this.#hmac(first, info, SECOND);
    const derived = concat(first, second);
    const nonceEnd = KEY_LENGTH + NONCE_LENGTH;
    return {
      gcm: this.#primitives.aes256Gcm(derived.subarray(0, KEY_LENGTH)),
      baseNonce: derived.subarray(KEY_LENGTH, nonceEnd),
      commitment: derived.subarray(nonceEnd, nonceEnd + COMMITMENT_LENGTH),
    };
  }
}

/** Returns a chunk's nonce: the base nonce, with the chunk's number XORed into its last bytes. */
function nonceOf(baseNonce: Bytes, number: number): Bytes {
  const nonce = new Uint8Array(baseNonce);
  const view = new DataView(nonce.buffer);
  view.setBigUint64(4, view.getBigUint64(4) ^ BigInt(number));
  return nonce;
}

/** Whether the bytes are equal. The comparison need not take constant time, because a commitment is public. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
