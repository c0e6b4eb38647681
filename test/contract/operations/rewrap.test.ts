import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { encrypt, keysOfAllTiers, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ALL_TIERS, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const keys = keysOfAllTiers(stack);
const AAD = 'Y29udGV4dA==';

test.each(ALL_TIERS)(
  'rewrap on a %s key answers with another ciphertext of the same plaintext, which needs the same aad',
  async (tier) => {
    const ciphertext = await encrypt(keys.tenant.api, keys.keyOf(tier), 'aGVsbG8=', AAD);
    const answer = await keys.call(tier, 'rewrap', { ciphertext, aad: AAD });
    expect([answer.status, answer.body]).toEqual([200, { ciphertext: expect.any(String) }]);
    const rewrapped = text(answer, 'ciphertext');
    expect(rewrapped).not.toBe(ciphertext);
    expect((await keys.call(tier, 'decrypt', { ciphertext: rewrapped, aad: AAD })).body).toEqual({
      plaintext: 'aGVsbG8=',
    });
    expect(outcome(await keys.call(tier, 'decrypt', { ciphertext: rewrapped }))).toBe('400 invalid_ciphertext');
  },
);

describe.each([
  ['software', 3],
  ['hsm', 2],
] as const)('rewrap on a %s key, which retains %i versions', (tier, retained) => {
  test('a rewrapped ciphertext uses the primary version and can be decrypted after the original version is retired', async () => {
    const { api, createKey } = await makeTenant(stack);
    const key = await createKey(tier);
    const plaintext = randomBase64(32);
    const ciphertext = await encrypt(api, key, plaintext);
    await rotate(api, key);
    const rewrapped = text(await operate(api, key, 'rewrap', { ciphertext }), 'ciphertext');
    await rotate(api, key, retained - 1);
    expect(outcome(await operate(api, key, 'decrypt', { ciphertext }))).toBe('400 invalid_ciphertext');
    expect((await operate(api, key, 'decrypt', { ciphertext: rewrapped })).body).toEqual({ plaintext });
  });
});
