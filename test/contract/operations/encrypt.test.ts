import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { byteLength, encrypt, keysOfAllTiers, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ALL_TIERS, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const keys = keysOfAllTiers(stack);
const { call } = keys;
const TOO_LARGE = '413 payload_too_large';

describe.each(ALL_TIERS)('encrypt on a %s key', (tier) => {
  test('encrypt answers with only a ciphertext, which hides the plaintext and differs each time', async () => {
    const plaintext = randomBase64(32);
    const answers = [await call(tier, 'encrypt', { plaintext }), await call(tier, 'encrypt', { plaintext })];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      Array(2).fill([200, { ciphertext: expect.any(String) }]),
    );
    const [first, second] = answers.map((answer) => text(answer, 'ciphertext'));
    expect(first).not.toBe(second);
    expect(Buffer.from(first ?? '', 'base64').includes(Buffer.from(plaintext, 'base64'))).toBe(false);
  });

  test('a plaintext of 65,537 bytes is too large, and the message names the limit', async () => {
    const answer = await call(tier, 'encrypt', { plaintext: randomBase64(65_537) });
    expect(outcome(answer)).toBe(TOO_LARGE);
    expect(text(answer, 'message').replace(',', '')).toContain('65536');
  });

  test('an empty plaintext is refused as an invalid request', async () => {
    expect(outcome(await call(tier, 'encrypt', { plaintext: '' }))).toBe('400 invalid_request');
  });
});

describe.each(['free', 'wrapped', 'software'] as const)('plaintext sizes on a %s key', (tier) => {
  test.each([1, 65_536])('a plaintext of %i bytes is accepted and comes back unchanged', async (bytes) => {
    const plaintext = randomBase64(bytes);
    const ciphertext = text(await call(tier, 'encrypt', { plaintext }), 'ciphertext');
    expect(text(await call(tier, 'decrypt', { ciphertext }), 'plaintext') === plaintext).toBe(true);
    expect(outcome(await call(tier, 'rewrap', { ciphertext }))).toBe('200');
  });

  test('a plaintext of 65,536 bytes leaves room for 32,745 bytes of aad in the body', async () => {
    const plaintext = randomBase64(65_536);
    expect(outcome(await call(tier, 'encrypt', { plaintext, aad: randomBase64(32_745) }))).toBe('200');
    expect(outcome(await call(tier, 'encrypt', { plaintext, aad: randomBase64(32_746) }))).toBe(TOO_LARGE);
  });
});

describe('encrypt on an hsm key', () => {
  test.each([
    [8_176, 0],
    [1, 8_175],
    [4_088, 4_088],
  ])(
    'an hsm key accepts %i bytes of plaintext with %i bytes of aad, but refuses one more byte of either',
    async (bytes, aadBytes) => {
      const [plaintext, aad] = [randomBase64(bytes), randomBase64(aadBytes)];
      const ciphertext = text(await call('hsm', 'encrypt', { plaintext, aad }), 'ciphertext');
      expect((await call('hsm', 'decrypt', { ciphertext, aad })).body).toEqual({ plaintext });
      expect(outcome(await call('hsm', 'rewrap', { ciphertext, aad }))).toBe('200');
      const more = [
        { plaintext: randomBase64(bytes + 1), aad },
        { plaintext, aad: randomBase64(aadBytes + 1) },
      ];
      for (const body of more) expect(outcome(await call('hsm', 'encrypt', body))).toBe(TOO_LARGE);
    },
  );
});

describe.each(['free', 'wrapped'] as const)('a ciphertext of a %s key', (tier) => {
  test.each([1, 16, 1000, 65_536])('a ciphertext is 36 bytes longer than a plaintext of %i bytes', async (bytes) => {
    const { api } = keys.tenant;
    expect(byteLength(await encrypt(api, keys.keyOf(tier), randomBase64(bytes), 'AAAA'))).toBe(bytes + 36);
  });

  test('a ciphertext begins with format 1, the version in three bytes and a unique nonce', async () => {
    const { api, createKey } = await makeTenant(stack);
    const key = await createKey(tier);
    const nonces = new Set<string>();
    for (const version of [1, 2]) {
      if (version > 1) await rotate(api, key);
      for (const made of [
        text(await operate(api, key, 'wrap', {}), 'wrapped'),
        await encrypt(api, key, randomBase64(32)),
      ]) {
        const value = Buffer.from(made, 'base64');
        expect([...value.subarray(0, 4)]).toEqual([1, 0, 0, version]);
        nonces.add(value.subarray(4, 20).toString('hex'));
      }
    }
    expect(nonces.size).toBe(4);
  });
});
