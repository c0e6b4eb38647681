import { createSecretKey, Decipheriv, Hmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { idFromBytes, makeId } from '../../../shared/base/ids.ts';
import {
  type Binding,
  decryptMessage,
  encryptMessage,
  OVERHEAD_BYTES,
  readVersion,
} from '../../../shared/crypto/message.ts';

const dataKey = createSecretKey(randomBytes(32));
const binding: Binding = { tenantId: makeId(), keyId: makeId(), aad: Buffer.from('orders/2026') };
const plaintext = Buffer.from('twenty bytes of text');

/** Up to `maxLength` bytes, cheap to generate and to shrink. */
function anyBytes(maxLength: number): fc.Arbitrary<Buffer> {
  return fc
    .record({ length: fc.nat(maxLength), fill: fc.uint8Array({ minLength: 1, maxLength: 32 }) })
    .map(({ length, fill }) => Buffer.alloc(length, fill));
}

function withFlippedBit(message: Buffer, at: number, bit: number): Buffer {
  const flipped = Buffer.from(message);
  flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
  return flipped;
}

describe('a sealed message', () => {
  test('an encrypted message is 36 bytes longer than its plaintext', () => {
    expect(OVERHEAD_BYTES).toBe(36);
    for (const length of [0, 1, 15, 16, 17, 32, 65_535, 65_536]) {
      expect(encryptMessage(dataKey, 1, binding, Buffer.alloc(length)).length).toBe(length + 36);
    }
  });

  test('an encrypted message is decrypted to its plaintext, at any size up to 65,536 bytes and with any aad', () => {
    fc.assert(
      fc.property(anyBytes(65_536), anyBytes(65_536), fc.integer({ min: 1, max: 0xffffff }), (text, aad, version) => {
        const bound = { ...binding, aad };
        const message = encryptMessage(dataKey, version, bound, text);
        expect(readVersion(message)).toBe(version);
        expect(decryptMessage(dataKey, bound, message)?.equals(text)).toBe(true);
      }),
    );
  });

  test('encryption and decryption do not modify the buffers of plaintext, aad and message', () => {
    const [text, aad] = [Buffer.from(plaintext), Buffer.from(binding.aad)];
    const message = encryptMessage(dataKey, 1, { ...binding, aad }, text);
    const copy = Buffer.from(message);
    decryptMessage(dataKey, { ...binding, aad }, message);
    decryptMessage(dataKey, { ...binding, aad: Buffer.from('other') }, message);
    expect([text, aad, message]).toEqual([plaintext, Buffer.from(binding.aad), copy]);
  });

  test('messages of the same plaintext differ in nonce and ciphertext', () => {
    const nonces = new Set<string>();
    const texts = new Set<string>();
    for (let time = 0; time < 500; time++) {
      const message = encryptMessage(dataKey, 1, binding, plaintext);
      nonces.add(message.toString('hex', 4, 20));
      texts.add(message.toString('hex', 20));
    }
    expect([nonces.size, texts.size]).toEqual([500, 500]);
  });
});

describe('a message that must not be decrypted', () => {
  const message = encryptMessage(dataKey, 7, binding, plaintext);
  const open = (bound: Binding, candidate: Buffer = message) => decryptMessage(dataKey, bound, candidate);

  test('a message with any flipped bit is not decrypted', () => {
    for (let at = 0; at < message.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        expect(open(binding, withFlippedBit(message, at, bit)), `byte ${at}, bit ${bit}`).toBeUndefined();
      }
    }
  });

  test('a message that was cut short at either end is not decrypted', () => {
    for (let length = 0; length < message.length; length++) {
      expect(open(binding, message.subarray(0, length)), `the first ${length} bytes`).toBeUndefined();
      expect(open(binding, message.subarray(message.length - length)), `the last ${length} bytes`).toBeUndefined();
    }
  });

  test('a message with bytes added at either end is not decrypted', () => {
    for (const byte of [0, 1, 0xff]) {
      expect(open(binding, Buffer.concat([message, Buffer.of(byte)]))).toBeUndefined();
      expect(open(binding, Buffer.concat([Buffer.of(byte), message]))).toBeUndefined();
    }
  });

  test('a combination of parts of two messages is not decrypted', () => {
    const other = encryptMessage(dataKey, 7, binding, plaintext);
    for (const cut of [12, 20, message.length - 16]) {
      expect(open(binding, Buffer.concat([message.subarray(0, cut), other.subarray(cut)]))).toBeUndefined();
    }
  });

  test.each([
    ['another tenant', { ...binding, tenantId: idFromBytes<Binding['tenantId']>(randomBytes(16)) }],
    ['another key', { ...binding, keyId: idFromBytes<Binding['keyId']>(randomBytes(16)) }],
    ['other aad', { ...binding, aad: Buffer.from('orders/2027') }],
    ['no aad', { ...binding, aad: Buffer.alloc(0) }],
    ['shorter aad', { ...binding, aad: binding.aad.subarray(1) }],
    ['longer aad', { ...binding, aad: Buffer.concat([binding.aad, Buffer.of(0)]) }],
  ])('a message is not decrypted with %s', (_, bound) => {
    expect(open(bound)).toBeUndefined();
  });

  test('a message is not decrypted if tenant id and key id are swapped', () => {
    const tenantId = idFromBytes<Binding['tenantId']>(Buffer.from(binding.keyId.replaceAll('-', ''), 'hex'));
    const keyId = idFromBytes<Binding['keyId']>(Buffer.from(binding.tenantId.replaceAll('-', ''), 'hex'));
    expect(open({ ...binding, tenantId, keyId })).toBeUndefined();
  });

  test('a message is not decrypted with another data key', () => {
    expect(decryptMessage(createSecretKey(randomBytes(32)), binding, message)).toBeUndefined();
  });

  test('a message with an altered key version is not decrypted, even with the same data key', () => {
    for (const version of [0, 6, 8, 0xffffff]) {
      const renamed = Buffer.from(message);
      renamed.writeUIntBE(version, 1, 3);
      expect(readVersion(renamed)).toBe(version);
      expect(open(binding, renamed)).toBeUndefined();
    }
  });

  test('a message with another format number is not decrypted', () => {
    for (let format = 0; format < 256; format++) {
      const other = Buffer.from(message);
      other.writeUInt8(format);
      expect(open(binding, other)?.equals(plaintext)).toBe(format === 1 ? true : undefined);
    }
  });

  test('random bytes are not decrypted as a message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(open(binding, Buffer.concat([Buffer.of(1, 0, 0, 7), bytes]))).toBeUndefined();
      }),
    );
  });
});

describe('secrets in memory', () => {
  test('if a message fails authentication, its decrypted text is wiped', () => {
    const decrypted = vi.spyOn(Decipheriv.prototype, 'update');
    const message = encryptMessage(dataKey, 1, binding, plaintext);
    expect(decryptMessage(dataKey, { ...binding, aad: Buffer.alloc(0) }, message)).toBeUndefined();
    const held = decrypted.mock.results.map(({ value }) => value);
    decrypted.mockRestore();
    expect(held).toEqual([Buffer.alloc(plaintext.length)]);
  });

  test('after use, the derived bytes that contain the message key and IV are wiped', () => {
    const digest = vi.spyOn(Hmac.prototype, 'digest');
    const message = encryptMessage(dataKey, 1, binding, plaintext);
    decryptMessage(dataKey, binding, message);
    const derived = digest.mock.results.map(({ value }) => value);
    digest.mockRestore();
    expect(derived).toEqual([Buffer.alloc(64), Buffer.alloc(64)]);
  });
});

describe('the version in a message', () => {
  test.each([1, 2, 255, 256, 65_535, 65_536, 0xffffff])('the key version %i is read back from a message', (version) => {
    expect(readVersion(encryptMessage(dataKey, version, binding, plaintext))).toBe(version);
  });

  test('no key version is read from a message that is too short', () => {
    for (let length = 0; length < 36; length++) expect(readVersion(Buffer.alloc(length, 1))).toBeUndefined();
    expect(readVersion(Buffer.alloc(36, 1))).toBe(0x010101);
  });

  test('a key version is read only from a message of format 1', () => {
    for (const format of [0, 2, 0x7f, 0x80, 0xff]) {
      expect(readVersion(Buffer.concat([Buffer.of(format), Buffer.alloc(60)]))).toBeUndefined();
    }
  });
});
