import { createCipheriv, createDecipheriv } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openGcm, sealGcm } from './gcm-reference.ts';
import { NIST, WYCHEPROOF_INVALID, WYCHEPROOF_NO_IV, WYCHEPROOF_VALID } from './gcm-vectors.ts';

interface Case {
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly plaintext: string;
  readonly sealed: string;
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

function referenceMeets({ key, iv, aad, plaintext, sealed }: Case): void {
  expect(sealGcm(bytes(key), bytes(iv), bytes(aad), bytes(plaintext)).toString('hex')).toBe(sealed);
  expect(openGcm(bytes(key), bytes(iv), bytes(aad), bytes(sealed))?.toString('hex')).toBe(plaintext);
}

function cipherMeets({ key, iv, aad, plaintext, sealed }: Case): void {
  const cipher = createCipheriv('aes-256-gcm', bytes(key), bytes(iv), { authTagLength: 16 }).setAAD(bytes(aad));
  const encrypted = Buffer.concat([cipher.update(bytes(plaintext)), cipher.final(), cipher.getAuthTag()]);
  expect(encrypted.toString('hex')).toBe(sealed);
}

function decipher({ key, iv, aad, sealed }: Case): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', bytes(key), bytes(iv), { authTagLength: 16 });
  decipher.setAAD(bytes(aad)).setAuthTag(bytes(sealed).subarray(-16));
  return Buffer.concat([decipher.update(bytes(sealed).subarray(0, -16)), decipher.final()]);
}

describe('the reference that messages are held against', () => {
  test.each(NIST)('meets test case $testCase of the GCM submission to NIST', referenceMeets);
  test.each(WYCHEPROOF_VALID)('meets Wycheproof aes_gcm_test, tcId $tcId', referenceMeets);
  test.each(WYCHEPROOF_INVALID)('refuses Wycheproof aes_gcm_test, tcId $tcId: $damage', (one) => {
    expect(openGcm(bytes(one.key), bytes(one.iv), bytes(one.aad), bytes(one.sealed))).toBeUndefined();
  });
});

describe("the runtime's AES-256-GCM", () => {
  test.each(NIST)('meets test case $testCase of the GCM submission to NIST', cipherMeets);
  test.each(WYCHEPROOF_VALID)('meets Wycheproof aes_gcm_test, tcId $tcId', cipherMeets);
  test.each(WYCHEPROOF_INVALID)('refuses Wycheproof aes_gcm_test, tcId $tcId: $damage', (one) => {
    expect(() => decipher(one)).toThrow('unable to authenticate');
  });

  test('refuses an IV of no bytes (Wycheproof aes_gcm_test, tcId 316)', () => {
    expect(() => decipher({ ...WYCHEPROOF_NO_IV, iv: '', aad: '' })).toThrow('Invalid initialization vector');
  });

  test.each([0, 4, 8, 12, 13, 14, 15, 17, 32])('takes no tag of %i bytes, only of 16', (length) => {
    const opening = createDecipheriv('aes-256-gcm', bytes(WYCHEPROOF_NO_IV.key), Buffer.alloc(12), {
      authTagLength: 16,
    });
    expect(() => opening.setAuthTag(Buffer.alloc(length))).toThrow('Invalid authentication tag length');
  });
});
