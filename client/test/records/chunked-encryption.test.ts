import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ChunkedEncryption } from '../../src/records/chunked-encryption.ts';
import { inOpenssl, webCrypto } from '../../src/records/primitives.ts';
import { openssl } from '../support/openssl.ts';
import { INVALID, KEY, LONG, VALID } from './chunked-vectors.ts';

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex');

/** Decodes a value of the test vectors: hexadecimal, with `(n)` for n zero bytes. */
function bytes(value: string): Buffer {
  const parts = value.split(/\((\d+)\)/);
  return Buffer.concat(parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part, 'hex') : Buffer.alloc(Number(part)))));
}

/** Returns the keystream with which chunked encryption encrypts the chunks of a message. */
function keystream(aeadKey: Buffer, baseNonce: Buffer, length: number): Buffer {
  const chunks: Buffer[] = [];
  for (let start = 0; start < length; start += 16_384) {
    const nonce = Buffer.from(baseNonce);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ (start / 16_384)) >>> 0, 8);
    chunks.push(createCipheriv('aes-256-gcm', aeadKey, nonce).update(Buffer.alloc(Math.min(16_384, length - start))));
  }
  return Buffer.concat(chunks);
}

test('all 35 published test vectors are present', () => {
  expect(VALID.length + LONG.length + INVALID.length).toBe(35);
});

describe.each([
  ['OpenSSL', inOpenssl(openssl)],
  ['Web Crypto', webCrypto],
] as const)('chunked encryption with %s', (_, primitives) => {
  const cipherOf = (key: string) => new ChunkedEncryption(bytes(key), primitives);

  test.each(VALID)(
    'test vector $tcId is decrypted, and encrypted again to the same bytes: $what',
    async ({ context, sealed, ...message }) => {
      const expected = bytes(sealed);
      const opened = await cipherOf(KEY).open(expected, bytes(context));
      expect(opened?.length).toBe(message.messageLength);
      expect(opened && sha512(opened)).toBe(message.messageSha512);
      const made = await cipherOf(KEY).seal(opened ?? Buffer.alloc(0), bytes(context), expected.subarray(0, 24));
      expect(expected.equals(made)).toBe(true);
    },
  );

  test.each(LONG)(
    'test vector $tcId is encrypted to the published bytes and decrypted again: $what',
    async (vector) => {
      const message = keystream(bytes(vector.aeadKey), bytes(vector.baseNonce), vector.messageLength);
      expect(sha512(message)).toBe(vector.messageSha512);
      const head = bytes(vector.head);
      const made = await cipherOf(KEY).seal(message, bytes(vector.context), head.subarray(0, 24));
      expect(sha512(made)).toBe(vector.sealedSha512);
      const opened = await cipherOf(KEY).open(made, bytes(vector.context));
      expect(opened && message.equals(opened)).toBe(true);
    },
  );

  test.each(INVALID)('test vector $tcId is refused: $what', async ({ key, context, sealed }) => {
    if (bytes(key).length !== 32) expect(() => cipherOf(key)).toThrow(RangeError);
    else expect(await cipherOf(key).open(bytes(sealed), bytes(context))).toBeUndefined();
  });

  test('encrypting the same message twice gives different results', async () => {
    const message = randomBytes(100);
    const cipher = new ChunkedEncryption(randomBytes(32), primitives);
    const [one, other] = [await cipher.seal(message, bytes('')), await cipher.seal(message, bytes(''))];
    expect(Buffer.from(one.subarray(0, 24)).equals(other.subarray(0, 24))).toBe(false);
  });

  test('a message with any changed bit is refused', async () => {
    const cipher = new ChunkedEncryption(randomBytes(32), primitives);
    const sealed = await cipher.seal(Buffer.from('short'), bytes(''));
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await cipher.open(changed, bytes(''))).toBeUndefined();
    }
  });
});
