import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idFromBytes } from '../../../shared/base/ids.ts';
import { type Binding, decryptMessage, encryptMessage } from '../../../shared/crypto/message.ts';
import { openByReference, openGcm, sealByReference, sealGcm, type Terms } from './gcm-reference.ts';
import { NIST, WYCHEPROOF_INVALID, WYCHEPROOF_NO_IV, WYCHEPROOF_VALID } from './gcm-vectors.ts';

/** A fixed message. Never change it: messages that clients have stored must always be decryptable. */
const VECTOR = {
  terms: {
    dataKey: Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex'),
    version: 0x010203,
    tenantId: '11111111111141118111111111111111',
    keyId: '22222222222242228222222222222222',
    aad: Buffer.from('invoice 4711'),
  },
  nonce: Buffer.from('a0a1a2a3a4a5a6a7a8a9aaabacadaeaf', 'hex'),
  plaintext: Buffer.from('The quick brown fox jumps over the lazy dog'),
  message:
    '01010203a0a1a2a3a4a5a6a7a8a9aaabacadaeaf12ae0cf108e9114fcac3b8586da23249ef75dd07b9cb168f9edb233ca4bbea77d0f253b18a594fbfdcdc3117a67693dc383a7a1a32419fa87d5b46',
} as const;

function bindingOf({ tenantId, keyId, aad }: Terms): Binding {
  return { tenantId: idFromBytes(Buffer.from(tenantId, 'hex')), keyId: idFromBytes(Buffer.from(keyId, 'hex')), aad };
}

describe('the message format', () => {
  const { terms, nonce, plaintext, message } = VECTOR;

  test('the message format is stable: fixed inputs and a fixed nonce produce the recorded message', () => {
    const sealed = encryptMessage(createSecretKey(terms.dataKey), terms.version, bindingOf(terms), plaintext, nonce);
    expect(sealed.toString('hex')).toBe(message);
    expect(sealByReference(terms, plaintext, nonce).toString('hex')).toBe(message);
  });

  test('the message format is stable: the recorded message can be decrypted', () => {
    const opened = decryptMessage(createSecretKey(terms.dataKey), bindingOf(terms), Buffer.from(message, 'hex'));
    expect(opened).toEqual(plaintext);
  });

  test('an independent implementation reads and writes the same messages', () => {
    const anyTerms = fc.record({
      dataKey: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      version: fc.integer({ min: 1, max: 0xffffff }),
      tenantId: fc.constant(randomBytes(16).toString('hex')),
      keyId: fc.constant(randomBytes(16).toString('hex')),
      aad: fc.uint8Array({ maxLength: 70 }),
    });
    const bytes = fc.uint8Array({ maxLength: 100 });
    const anyNonce = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(anyTerms, bytes, anyNonce, (someTerms, text, someNonce) => {
        const dataKey = createSecretKey(someTerms.dataKey);
        const binding = bindingOf(someTerms);
        const ours = encryptMessage(dataKey, someTerms.version, binding, text);
        const theirs = sealByReference(someTerms, text, someNonce);
        expect(openByReference(someTerms, ours)).toEqual(Buffer.from(text));
        expect(decryptMessage(dataKey, binding, theirs)).toEqual(Buffer.from(text));
      }),
    );
  });

  test('an independent implementation writes the same message for the largest plaintext and aad', () => {
    const largest = { ...terms, aad: Buffer.alloc(65_536, 'aad') };
    const dataKey = createSecretKey(largest.dataKey);
    const text = Buffer.alloc(65_536, 'text');
    const ours = encryptMessage(dataKey, largest.version, bindingOf(largest), text, nonce);
    expect(ours.equals(sealByReference(largest, text, nonce))).toBe(true);
  });
});

interface Case {
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly plaintext: string;
  readonly sealed: string;
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

function expectReferencePasses({ key, iv, aad, plaintext, sealed }: Case): void {
  expect(sealGcm(bytes(key), bytes(iv), bytes(aad), bytes(plaintext)).toString('hex')).toBe(sealed);
  expect(openGcm(bytes(key), bytes(iv), bytes(aad), bytes(sealed))?.toString('hex')).toBe(plaintext);
}

function expectRuntimePasses({ key, iv, aad, plaintext, sealed }: Case): void {
  const cipher = createCipheriv('aes-256-gcm', bytes(key), bytes(iv), { authTagLength: 16 }).setAAD(bytes(aad));
  const encrypted = Buffer.concat([cipher.update(bytes(plaintext)), cipher.final(), cipher.getAuthTag()]);
  expect(encrypted.toString('hex')).toBe(sealed);
}

function decipher({ key, iv, aad, sealed }: Case): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', bytes(key), bytes(iv), { authTagLength: 16 });
  decipher.setAAD(bytes(aad)).setAuthTag(bytes(sealed).subarray(-16));
  return Buffer.concat([decipher.update(bytes(sealed).subarray(0, -16)), decipher.final()]);
}

describe('the reference implementation of GCM', () => {
  test.each(NIST)(
    'the reference implementation passes test case $id of the GCM submission to NIST',
    expectReferencePasses,
  );
  test.each(WYCHEPROOF_VALID)(
    'the reference implementation passes Wycheproof aes_gcm_test, tcId $id',
    expectReferencePasses,
  );
  test.each(WYCHEPROOF_INVALID)(
    'the reference implementation refuses Wycheproof aes_gcm_test, tcId $tcId: $damage',
    (one) => {
      expect(openGcm(bytes(one.key), bytes(one.iv), bytes(one.aad), bytes(one.sealed))).toBeUndefined();
    },
  );
});

describe("the runtime's AES-256-GCM", () => {
  test.each(NIST)('the runtime passes test case $id of the GCM submission to NIST', expectRuntimePasses);
  test.each(WYCHEPROOF_VALID)('the runtime passes Wycheproof aes_gcm_test, tcId $id', expectRuntimePasses);
  test.each(WYCHEPROOF_INVALID)('the runtime refuses Wycheproof aes_gcm_test, tcId $tcId: $damage', (one) => {
    expect(() => decipher(one)).toThrow('unable to authenticate');
  });

  test('the runtime refuses an empty IV (Wycheproof aes_gcm_test, tcId 316)', () => {
    expect(() => decipher({ ...WYCHEPROOF_NO_IV, iv: '', aad: '' })).toThrow('Invalid initialization vector');
  });

  test.each([0, 4, 8, 12, 13, 14, 15, 17, 32])(
    'the runtime refuses a tag of %i bytes: only 16 are accepted',
    (length) => {
      const opening = createDecipheriv('aes-256-gcm', bytes(WYCHEPROOF_NO_IV.key), Buffer.alloc(12), {
        authTagLength: 16,
      });
      expect(() => opening.setAuthTag(Buffer.alloc(length))).toThrow('Invalid authentication tag length');
    },
  );
});
