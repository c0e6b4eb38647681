import { createCipheriv, createDecipheriv, createHash, createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idFromBytes } from '../../../shared/base/ids.ts';
import { type Binding, decryptMessage, encryptMessage } from '../../../shared/crypto/message.ts';

/** The parameters of a message. Ids are 32 hexadecimal digits. */
interface Terms {
  readonly dataKey: Uint8Array;
  readonly version: number;
  readonly tenantId: string;
  readonly keyId: string;
  readonly aad: Uint8Array;
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

/**
 * A second implementation of the message format of `free` and `wrapped` keys, written from the format’s description. It
 * shares only the runtime’s HMAC and GCM with the service. Published vectors test these.
 */
function sealByReference(terms: Terms, plaintext: Uint8Array, nonce: Uint8Array): Buffer {
  const header = bytes(`01${terms.version.toString(16).padStart(6, '0')}`);
  // SP 800-108r1 §4.1: 44 bytes of one block of HMAC-SHA512 over counter, label, zero, context and length in bits.
  const fixed = [bytes('00000001'), Buffer.from('encryption-service message key\0'), nonce, bytes('00000160')];
  const derived = createHmac('sha512', terms.dataKey).update(Buffer.concat(fixed)).digest();
  const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, 32), derived.subarray(32, 44));
  cipher.setAAD(Buffer.concat([header, bytes(terms.tenantId + terms.keyId), terms.aad]));
  return Buffer.concat([header, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function bindingOf({ tenantId, keyId, aad }: Terms): Binding {
  return { tenantId: idFromBytes(bytes(tenantId)), keyId: idFromBytes(bytes(keyId)), aad };
}

function seal(terms: Terms, plaintext: Uint8Array, nonce: Uint8Array): Buffer {
  return encryptMessage(createSecretKey(terms.dataKey), terms.version, bindingOf(terms), plaintext, nonce);
}

/** A fixed message. Never change it: messages that clients have stored must always be decryptable. */
const VECTOR = {
  terms: {
    dataKey: bytes('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'),
    version: 0x010203,
    tenantId: '11111111111141118111111111111111',
    keyId: '22222222222242228222222222222222',
    aad: Buffer.from('invoice 4711'),
  },
  nonce: bytes('a0a1a2a3a4a5a6a7a8a9aaabacadaeaf'),
  plaintext: Buffer.from('The quick brown fox jumps over the lazy dog'),
  message:
    '01010203a0a1a2a3a4a5a6a7a8a9aaabacadaeaf12ae0cf108e9114fcac3b8586da23249ef75dd07b9cb168f9edb233ca4bbea77d0f253b18a594fbfdcdc3117a67693dc383a7a1a32419fa87d5b46',
} as const;

test('the message format is stable: fixed inputs and a fixed nonce produce the recorded message, which can be decrypted', () => {
  const { terms, nonce, plaintext, message } = VECTOR;
  expect(seal(terms, plaintext, nonce).toString('hex')).toBe(message);
  expect(sealByReference(terms, plaintext, nonce).toString('hex')).toBe(message);
  expect(decryptMessage(createSecretKey(terms.dataKey), bindingOf(terms), bytes(message))).toEqual(plaintext);
});

test('an independent implementation reads and writes the same messages', () => {
  const idHex = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((id) => Buffer.from(id).toString('hex'));
  const anyTerms = fc.record({
    dataKey: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    version: fc.integer({ min: 1, max: 0xffffff }),
    tenantId: idHex,
    keyId: idHex,
    aad: fc.uint8Array({ maxLength: 70 }),
  });
  const anyNonce = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(anyTerms, fc.uint8Array({ maxLength: 100 }), anyNonce, (terms, text, nonce) => {
      const theirs = sealByReference(terms, text, nonce);
      expect(seal(terms, text, nonce)).toEqual(theirs);
      expect(decryptMessage(createSecretKey(terms.dataKey), bindingOf(terms), theirs)).toEqual(Buffer.from(text));
    }),
  );
});

test('the message for the largest plaintext and aad is the one that an implementation of GCM in JavaScript made once', () => {
  const largest = { ...VECTOR.terms, aad: Buffer.alloc(65_536, 'aad') };
  const sealed = seal(largest, Buffer.alloc(65_536, 'text'), VECTOR.nonce);
  expect(createHash('sha256').update(sealed).digest('hex')).toBe(
    '024b614feaaeb464d73918d548a073794d407071c0fed14734160a75480b1b89',
  );
});

/*
 * Published vectors of AES-256-GCM with 96-bit IVs and 128-bit tags, in hexadecimal. `sealed` is the ciphertext
 * followed by the tag.
 */

/** Reads vectors: in each line the number, key, IV, aad, plaintext and sealed text. A hyphen is an empty text. */
const read = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', key = '', iv = '', aad = '', plaintext = '', sealed = ''] = line
        .split(' ')
        .map((word) => (word === '-' ? '' : word));
      return { id, key, iv, aad, plaintext, sealed };
    });

/** McGrew and Viega, The Galois/Counter Mode of Operation (GCM), submitted to NIST, Appendix B. */
const NIST = read(`
13 0000000000000000000000000000000000000000000000000000000000000000 000000000000000000000000 - - 530f8afbc74536b9a963b4f1c4cb738b
14 0000000000000000000000000000000000000000000000000000000000000000 000000000000000000000000 - 00000000000000000000000000000000 cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919
16 feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308 cafebabefacedbaddecaf888 feedfacedeadbeeffeedfacedeadbeefabaddad2 d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39 522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b
`);

/** C2SP Wycheproof, aes_gcm_test, result: valid. */
const WYCHEPROOF_VALID = read(`
91 92ace3e348cd821092cd921aa3546374299ab46209691bc28b8752d17f123c20 00112233445566778899aabb 00000000ffffffff 00010203040506070809 e27abdd2d2a53d2f136b9a4a2579529301bcfb71c78d4060f52c
92 29d3a44f8723dc640239100c365423a312934ac80239212ac3df3421a2098123 00112233445566778899aabb aabbccddeeff - 2a7d77fa526b8250cb296078926b5020
93 80ba3192c803ce965ea371d5ff073cf0f43b6a2ab576b208426e11409c09b9b0 4da5bf8dfd5852c1ea12379d - - 4771a7c404a472966cea8f73c8bfe17a
94 cc56b680552eb75008f5484b4cb803fa5063ebd6eab91f6ab6aef4916a766273 99e23ec48985bccdeeab60f1 - 2a 06633c1e9703ef744ffffb40edf9d14355
96 67119627bd988eda906219e08c0d0d779a07d208ce8a4fe0709af755eeec6dcb 68ab7fdbf61901dad461d23c - 51f8c1f731ea14acdb210a6d973e07 43fc101bff4b32bfadd3daf57a590eec04aacb7148a8b8be44cb7eaf4efa69
98 3b2458d8176e1621c0cc24c0c0e24c1e80d72f7ee9149a4b166176629616d011 45aaa3e5d16d2d42dc03445d - 3ff1514b1c503915918f0c0c31094a6e1f 73a6b6f45f6ccc5131e07f2caa1f2e2f562d7379ec1db5952d4e95d30c340b1b1d
103 ff0089ee870a4a39f645b0a5da774f7a5911e9696fc9cad646452c2aa8595a12 bc2a7757d0ce2d8b1f14ccd9 972ab4e06390caae8f99dd6e2187be6c7ff2c08a24be16ef 748b28031621d95ee61812b4b4f47d04c6fc2ff3 a929ee7e67c7a2f91bbcec6389a3caf43ab49305ebec6774b955e789591c822dab739e12
106 81b6b27e5ed90ab99fe6756d4cb41e3f07269687f5afabdb426e29096b5e4466 13e727486031cca21f733375 - 9a95a23cfb1e35d89a7597570df0fb0efcbb7429f53bebcbbfa49fa247b251a8508ad497066855d08688576188e4ffb12d1d084dcabec3d57806daf215dcc97edd 7ede7368bca3c93d9f1d7f7750d6e44b1cb92c30e3c9834b0b69efd2470911644ae6f6d75715e13aea8781f8da611a13ac6364c406c1a715b7e97acb22b6e6156e74e20a93802f43407c8989a37f013802
128 00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f 000000000000000000000000 - 561008fa07a68f5c61285cd013464eaf 23293e9b07ca7d1b0cae7cc489a973b3ffffffffffffffffffffffffffffffff
129 00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f ffffffffffffffffffffffff - c6152244cea1978d3e0bc274cf8c0b3b 7cb6fc7c6abc009efe9551a99f36a42100000000000000000000000000000000
`);

/** The message in each of the following vectors, which differ only in their damaged tags. */
const DAMAGED = {
  key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
  iv: '505152535455565758595a5b',
  aad: '',
  encrypted: 'b2061457c0759fc1749f174ee1ccadfa',
};

/** C2SP Wycheproof, aes_gcm_test, the tags of tcId 130 to 156: all invalid cases with such keys, IVs and tags. */
const WYCHEPROOF_INVALID = `
9de8fef6d8ab1bf1bf887232eab590dd 9ee8fef6d8ab1bf1bf887232eab590dd 1ce8fef6d8ab1bf1bf887232eab590dd
9ce9fef6d8ab1bf1bf887232eab590dd 9ce8fe76d8ab1bf1bf887232eab590dd 9ce8fef6d9ab1bf1bf887232eab590dd
9ce8fef6daab1bf1bf887232eab590dd 9ce8fef6d8ab1b71bf887232eab590dd 9ce8fef6d8ab1bf1be887232eab590dd
9ce8fef6d8ab1bf13f887232eab590dd 9ce8fef6d8ab1bf1bfa87232eab590dd 9ce8fef6d8ab1bf1bf887332eab590dd
9ce8fef6d8ab1bf1bf887232ebb590dd 9ce8fef6d8ab1bf1bf887232e8b590dd 9ce8fef6d8ab1bf1bf8872326ab590dd
9ce8fef6d8ab1bf1bf887232eab590dc 9ce8fef6d8ab1bf1bf887232eab590df 9ce8fef6d8ab1bf1bf887232eab5909d
9ce8fef6d8ab1bf1bf887232eab5905d 9de8fef6d8ab1bf1be887232eab590dd 9ce8fe76d8ab1b71bf887232eab590dd
9ce8fef6d8ab1b71bf887232eab5905d 631701092754e40e40778dcd154a6f22 00000000000000000000000000000000
ffffffffffffffffffffffffffffffff 1c687e76582b9b713f08f2b26a35105d 9de9fff7d9aa1af0be897333ebb491dc
`
  .trim()
  .split(/\s/)
  .map((tag, at) => ({ ...DAMAGED, tcId: 130 + at, sealed: DAMAGED.encrypted + tag }));

/** C2SP Wycheproof, aes_gcm_test, tcId 316: an empty IV is invalid. */
const WYCHEPROOF_NO_IV = {
  key: '7660d10966c6503903a552dde2a809ede9da490e5e5cc3e349da999671809883',
  plaintext: 'c314235341debfafa1526bb61044a7f1',
  sealed: '7772ea358901f571d3d35c19497639d98fe0520ad744a11f0ccfd228454363fa',
};

const GCM = { authTagLength: 16 };

function decipher({ key, iv, aad, sealed }: Readonly<Record<'key' | 'iv' | 'aad' | 'sealed', string>>): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', bytes(key), bytes(iv), GCM);
  decipher.setAAD(bytes(aad)).setAuthTag(bytes(sealed).subarray(-16));
  return Buffer.concat([decipher.update(bytes(sealed).subarray(0, -16)), decipher.final()]);
}

test.each([...NIST, ...WYCHEPROOF_VALID])(
  'the runtime’s AES-256-GCM passes test case $id of the GCM submission to NIST or of Wycheproof aes_gcm_test',
  (vector) => {
    const { key, iv, aad, plaintext, sealed } = vector;
    const cipher = createCipheriv('aes-256-gcm', bytes(key), bytes(iv), GCM).setAAD(bytes(aad));
    const encrypted = Buffer.concat([cipher.update(bytes(plaintext)), cipher.final(), cipher.getAuthTag()]);
    expect(encrypted.toString('hex')).toBe(sealed);
    expect(decipher(vector).toString('hex')).toBe(plaintext);
  },
);

test.each(WYCHEPROOF_INVALID)('the runtime refuses a damaged tag: Wycheproof aes_gcm_test, tcId $tcId', (one) => {
  expect(() => decipher(one)).toThrow('unable to authenticate');
});

test('the runtime refuses an empty IV (Wycheproof aes_gcm_test, tcId 316)', () => {
  expect(() => decipher({ ...WYCHEPROOF_NO_IV, iv: '', aad: '' })).toThrow('Invalid initialization vector');
});

test.each([0, 4, 8, 12, 13, 14, 15, 17, 32])(
  'the runtime refuses a tag of %i bytes: only 16 are accepted',
  (length) => {
    const opening = createDecipheriv('aes-256-gcm', bytes(DAMAGED.key), bytes(DAMAGED.iv), GCM);
    expect(() => opening.setAuthTag(Buffer.alloc(length))).toThrow('Invalid authentication tag length');
  },
);
