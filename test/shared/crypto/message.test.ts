import { createSecretKey, Decipheriv, Hmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { idFromBytes, makeId } from '../../../shared/base/ids.ts';
import { deriveKey } from '../../../shared/crypto/kdf.ts';
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

/**
 * NIST CAVP, KDFCTR_gen: PRF=HMAC_SHA512, CTRLOCATION=BEFORE_FIXED, RLEN=32_BITS. In each line: COUNT, L, KI, the fixed
 * input and KO.
 */
const VECTORS = `
0 128 dd5dbd45593ee2ac139748e7645b450f223d2ff297b73fd71cbcebe71d41653c950b88500de5322d99ef18dfdd30428294c4b3094f4c954334e593bd982ec614 b50b0c963c6b3034b8cf19cd3f5c4ebe4f4985af0c03e575db62e6fdf1ecfe4f28b95d7ce16df85843246e1557ce95bb26cc9a21974bbd2eb69e8355 e5993bf9bd2aa1c45746042e12598155
10 256 5be2bf7f5e2527e15fe65cde4507d98ba55457006867de9e4f36645bcff4ca38754f92898b1c5544718102593b8c26d45d1fceaea27d97ede9de8b9ebfe88093 004b13c1f628cb7a00d9498937bf437b71fe196cc916c47d298fa296c6b86188073543bbc66b7535eb17b5cf43c37944b6ca1225298a9e563413e5bb cee0c11be2d8110b808f738523e718447d785878bbb783fb081a055160590072
20 160 9dd03864a31aa4156ca7a12000f541680ce0a5f4775eef1088ac13368200b447a78d0bf14416a1d583c54b0f11200ff4a8983dd775ce9c0302d262483e300ae6 037369f142d669fca9e87e9f37ae8f2c8d506b753fdfe8a3b72f75cac1c50fa1f8620883b8dcb8dcc67adcc95e70aa624adb9fe1b2cb396692b0d2e8 96e8d1bc01dc95c0bf42c3c38fc54c090373ced4
30 320 a9f4a2c5af839867f5db5a1e520ab3cca72a166ca60de512fd7fe7e64cf94f92cf1d8b636175f293e003275e021018c3f0ede495997a505ec9a2afeb0495be57 8e9db3335779db688bcfe096668d9c3bc64e193e3529c430e68d09d56c837dd6c0f94678f121a68ee1feea4735da85a49d34a5290aa39f7b40de435f 6db880daac98b078ee389a2164252ded61322d661e2b49247ea921e544675d8f17af2bf66dd40d81
32 320 f5567a2dd9236a99200c4bd5390743e2560bab4b196e3c732b01abf900c7649cab5b957da6ae8fd025605147b36572c19f103670b16f6bb57c138754479ad45d a8ccd4bd36fb0ed0765e9662f1028d600bd650e4c2cdddf94b27ee881120aaf74b727b02f0036b46162062e39ed43fa85687a58d177af6f566811889 2e55b73d126db0f92810266c92e4dc7a7f2d32cbed9eb4edab519e5cc9138c642fd4b229780c17bf
`
  .trim()
  .split('\n')
  .map((line) => {
    const [count = '', bits = '', ki = '', fixedInput = '', ko = ''] = line.split(' ');
    return { count, bits, ki, fixedInput, ko };
  });
const [FIRST = { ki: '', fixedInput: '', ko: '' }] = VECTORS;
const { ki: KI, fixedInput: FIXED_INPUT, ko: KO } = FIRST;

function derive(ki: string, fixedInput: string, length: number): string {
  return deriveKey(createSecretKey(Buffer.from(ki, 'hex')), Buffer.from(fixedInput, 'hex'), length).toString('hex');
}

test.each(VECTORS)(
  'the KDF agrees with the NIST CAVP test KDFCTR_gen, L = $bits, COUNT = $count',
  ({ bits, ki, fixedInput, ko }) => {
    expect(derive(ki, fixedInput, Number(bits) / 8)).toBe(ko);
  },
);

test('the KDF returns the requested number of bytes, and a longer output begins with the shorter output', () => {
  const longest = derive(KI, FIXED_INPUT, 64);
  for (let length = 1; length <= 64; length++) {
    expect(derive(KI, FIXED_INPUT, length)).toBe(longest.slice(0, 2 * length));
  }
});

test('the KDF refuses to derive more than one block', () => {
  expect(() => derive(KI, FIXED_INPUT, 65)).toThrow(RangeError);
});

test('the KDF wipes the bytes of the block that it does not return', () => {
  const digest = vi.spyOn(Hmac.prototype, 'digest');
  derive(KI, FIXED_INPUT, 16);
  const blocks = digest.mock.results.map(({ value }) => value);
  digest.mockRestore();
  expect(blocks).toEqual([Buffer.concat([Buffer.from(KO, 'hex'), Buffer.alloc(48)])]);
});
