import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { byteLength, keysOfAllTiers, randomBase64 } from '../../support/operations.ts';
import { ALL_TIERS } from '../../support/tenant.ts';

const { call } = keysOfAllTiers(inject('stack'));
const AAD = 'Y29udGV4dA==';

describe.each(ALL_TIERS)('decrypt on a %s key', (tier) => {
  test('decrypt answers with the plaintext and nothing else', async () => {
    const sealed = await call(tier, 'encrypt', { plaintext: 'aGVsbG8=', aad: AAD });
    const opened = await call(tier, 'decrypt', { ciphertext: text(sealed, 'ciphertext'), aad: AAD });
    expect([opened.status, opened.body]).toEqual([200, { plaintext: 'aGVsbG8=' }]);
  });

  test('decrypt also decrypts a wrapped data key', async () => {
    const dek = randomBase64(32);
    const wrapped = text(await call(tier, 'wrap', { dek }), 'wrapped');
    expect((await call(tier, 'decrypt', { ciphertext: wrapped })).body).toEqual({ plaintext: dek });
  });
});

test.each(['free', 'wrapped'] as const)(
  'on a %s key, the ciphertext of a 65,536-byte plaintext leaves room for 32,709 bytes of aad in the body',
  async (tier) => {
    for (const [aadBytes, expected] of [
      [32_709, '200'],
      [32_710, '413 payload_too_large'],
    ] as const) {
      const aad = randomBase64(aadBytes);
      const ciphertext = text(await call(tier, 'encrypt', { plaintext: randomBase64(65_536), aad }), 'ciphertext');
      expect(byteLength(ciphertext)).toBe(65_572);
      expect(outcome(await call(tier, 'decrypt', { ciphertext, aad }))).toBe(expected);
      expect(outcome(await call(tier, 'rewrap', { ciphertext, aad }))).toBe(expected);
    }
  },
);
