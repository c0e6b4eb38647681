import { createHash } from 'node:crypto';
import { openGcm, sealGcm } from './gcm-reference.ts';

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
