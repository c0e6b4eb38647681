import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../support/client.ts';
import { byteLength, encrypt, type Metered, operate, randomBase64 } from '../support/operations.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
const HELLO = 'aGVsbG8=';
const AAD = 'Y29udGV4dA==';

describe.each(ALL_TIERS)('on a %s key', (tier) => {
  let tenant: Tenant;
  let key: string;
  const call = (operation: Metered, body: unknown) => operate(tenant.api, key, operation, body);

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    key = await tenant.createKey(tier);
  });

  test('decrypt opens what encrypt made', async () => {
    const sealed = await call('encrypt', { plaintext: HELLO, aad: AAD });
    expect(sealed.body).toEqual({ ciphertext: expect.any(String) });
    const opened = await call('decrypt', { ciphertext: text(sealed, 'ciphertext'), aad: AAD });
    expect([opened.status, opened.body]).toEqual([200, { plaintext: HELLO }]);
  });

  test('a ciphertext hides its plaintext and is another one every time', async () => {
    const plaintext = randomBase64(32);
    const [first, second] = [await encrypt(tenant.api, key, plaintext), await encrypt(tenant.api, key, plaintext)];
    expect(first).not.toBe(second);
    expect(Buffer.from(first, 'base64').includes(Buffer.from(plaintext, 'base64'))).toBe(false);
  });

  test.each([16, 24, 32])(
    'unwrap returns a data key of %i bytes that wrap was given, which wrap does not repeat',
    async (bytes) => {
      const dek = randomBase64(bytes);
      const wrapped = await call('wrap', { dek, aad: AAD });
      expect([wrapped.status, wrapped.body]).toEqual([200, { wrapped: expect.any(String) }]);
      const unwrapped = await call('unwrap', { wrapped: text(wrapped, 'wrapped'), aad: AAD });
      expect([unwrapped.status, unwrapped.body]).toEqual([200, { dek }]);
    },
  );

  test.each([{}, { dek: null }])('wrap of %j makes a data key of 32 bytes, another one every time', async (body) => {
    const [first, second] = [await call('wrap', body), await call('wrap', body)];
    expect(first.body).toEqual({ wrapped: expect.any(String), dek: expect.any(String) });
    const dek = text(first, 'dek');
    expect(byteLength(dek)).toBe(32);
    expect(dek).not.toBe(text(second, 'dek'));
    expect((await call('unwrap', { wrapped: text(first, 'wrapped') })).body).toEqual({ dek });
  });

  test('a wrapped value opens with decrypt, and a ciphertext of 16, 24 or 32 bytes with unwrap', async () => {
    const dek = randomBase64(32);
    const wrapped = text(await call('wrap', { dek }), 'wrapped');
    expect((await call('decrypt', { ciphertext: wrapped })).body).toEqual({ plaintext: dek });
    for (const bytes of [16, 24, 32]) {
      const plaintext = randomBase64(bytes);
      const value = await encrypt(tenant.api, key, plaintext);
      expect((await call('unwrap', { wrapped: value })).body).toEqual({ dek: plaintext });
    }
  });

  test.each([1, 15, 17, 31, 33, 64])('unwrap refuses a value of %i bytes', async (bytes) => {
    const wrapped = await encrypt(tenant.api, key, randomBase64(bytes));
    expect(outcome(await call('unwrap', { wrapped }))).toBe('400 invalid_ciphertext');
  });

  test('rewrap makes another ciphertext of the same plaintext, bound to the same aad', async () => {
    const ciphertext = await encrypt(tenant.api, key, HELLO, AAD);
    const answer = await call('rewrap', { ciphertext, aad: AAD });
    expect([answer.status, answer.body]).toEqual([200, { ciphertext: expect.any(String) }]);
    const rewrapped = text(answer, 'ciphertext');
    expect(rewrapped).not.toBe(ciphertext);
    expect((await call('decrypt', { ciphertext: rewrapped, aad: AAD })).body).toEqual({ plaintext: HELLO });
    expect(outcome(await call('decrypt', { ciphertext: rewrapped }))).toBe('400 invalid_ciphertext');
  });

  test('rewrap refuses the ciphertext under another aad', async () => {
    const ciphertext = await encrypt(tenant.api, key, HELLO, AAD);
    expect(outcome(await call('rewrap', { ciphertext, aad: 'AAAA' }))).toBe('400 invalid_ciphertext');
    expect(outcome(await call('rewrap', { ciphertext }))).toBe('400 invalid_ciphertext');
  });
});
