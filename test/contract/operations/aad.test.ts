import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { encrypt, keysOfAllTiers, type Metered, randomBase64 } from '../../support/operations.ts';
import { ALL_TIERS } from '../../support/tenant.ts';

const keys = keysOfAllTiers(inject('stack'));
const DEK = randomBase64(32);
const AAD = 'Y29udGV4dA==';
const REFUSED = '400 invalid_ciphertext';
const TOO_LARGE = '413 payload_too_large';
const NONE = [{}, { aad: null }, { aad: '' }];
/** Body fields with no aad or a wrong aad, to send instead of the right aad. */
const OTHERS = [...NONE, { aad: 'Y29udGV4dQ==' }, { aad: 'Y29udGV4' }, { aad: 'Y29udGV4dAA=' }, { AAD }, { add: AAD }];
const DECRYPTING = [
  ['decrypt', 'ciphertext'],
  ['unwrap', 'wrapped'],
  ['rewrap', 'ciphertext'],
] as const;

describe.each(ALL_TIERS)('aad on a %s key', (tier) => {
  const call = (operation: Metered, body: unknown) => keys.call(tier, operation, body);
  const encryptWith = (aad?: string) => encrypt(keys.tenant.api, keys.keyOf(tier), DEK, aad);

  test.each(NONE)(
    'encrypt and wrap treat %j as no aad, and the result is decrypted with a missing, null or empty aad',
    async (none) => {
      const encrypted = text(await call('encrypt', { plaintext: DEK, ...none }), 'ciphertext');
      const wrapped = text(await call('wrap', { dek: DEK, ...none }), 'wrapped');
      for (const value of [encrypted, wrapped]) {
        for (const again of NONE) {
          expect((await call('decrypt', { ciphertext: value, ...again })).body).toEqual({ plaintext: DEK });
          expect((await call('unwrap', { wrapped: value, ...again })).body).toEqual({ dek: DEK });
          expect(outcome(await call('rewrap', { ciphertext: value, ...again }))).toBe('200');
        }
      }
    },
  );

  test.each(DECRYPTING)('%s refuses any aad other than the one given to encrypt', async (operation, field) => {
    const value = await encryptWith(AAD);
    for (const other of OTHERS) expect(outcome(await call(operation, { [field]: value, ...other }))).toBe(REFUSED);
    expect(outcome(await call(operation, { [field]: value, aad: AAD }))).toBe('200');
  });

  test.each(DECRYPTING)('%s refuses any aad other than the one given to wrap', async (operation, field) => {
    const value = text(await call('wrap', { dek: DEK, aad: AAD }), 'wrapped');
    for (const other of OTHERS) expect(outcome(await call(operation, { [field]: value, ...other }))).toBe(REFUSED);
    expect(outcome(await call(operation, { [field]: value, aad: AAD }))).toBe('200');
  });

  test.each(DECRYPTING)('%s refuses an aad for a value that was encrypted without an aad', async (operation, field) => {
    const value = await encryptWith();
    expect(outcome(await call(operation, { [field]: value, aad: 'AA==' }))).toBe(REFUSED);
  });

  test('a misspelled aad field is ignored, and the value has no aad', async () => {
    const ciphertext = text(await call('encrypt', { plaintext: DEK, addd: AAD }), 'ciphertext');
    expect((await call('decrypt', { ciphertext })).body).toEqual({ plaintext: DEK });
    expect(outcome(await call('decrypt', { ciphertext, aad: AAD }))).toBe(REFUSED);
  });
});

describe.each([
  ['free', 65_536],
  ['wrapped', 65_536],
  ['software', 65_520],
] as const)('aad on a %s key', (tier, limit) => {
  const call = (operation: Metered, body: unknown) => keys.call(tier, operation, body);

  test(`all five operations accept an aad of ${limit} bytes`, async () => {
    const aad = randomBase64(limit);
    const ciphertext = text(await call('encrypt', { plaintext: DEK, aad }), 'ciphertext');
    const wrapped = text(await call('wrap', { dek: DEK, aad }), 'wrapped');
    expect((await call('decrypt', { ciphertext, aad })).body).toEqual({ plaintext: DEK });
    expect((await call('unwrap', { wrapped, aad })).body).toEqual({ dek: DEK });
    expect(outcome(await call('rewrap', { ciphertext, aad }))).toBe('200');
  });

  test('all five operations refuse an aad one byte over the limit, and the message names the limit', async () => {
    const aad = randomBase64(limit + 1);
    const value = await encrypt(keys.tenant.api, keys.keyOf(tier), DEK);
    const answers = [
      await call('encrypt', { plaintext: DEK, aad }),
      await call('decrypt', { ciphertext: value, aad }),
      await call('wrap', { dek: DEK, aad }),
      await call('unwrap', { wrapped: value, aad }),
      await call('rewrap', { ciphertext: value, aad }),
    ];
    for (const answer of answers) {
      expect(outcome(answer)).toBe(TOO_LARGE);
      expect(text(answer, 'message').replace(',', '')).toContain(String(limit));
    }
  });
});

test.each(DECRYPTING)(
  '%s on an hsm key limits the aad to 65,520 bytes, whatever the size of the plaintext',
  async (operation, field) => {
    const value = await encrypt(keys.tenant.api, keys.keyOf('hsm'), DEK);
    const outcomeWith = async (aadBytes: number) =>
      outcome(await keys.call('hsm', operation, { [field]: value, aad: randomBase64(aadBytes) }));
    expect(await outcomeWith(8_176)).toBe(REFUSED);
    expect(await outcomeWith(65_520)).toBe(REFUSED);
    expect(await outcomeWith(65_521)).toBe(TOO_LARGE);
  },
);
