import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../support/client.ts';
import { byteLength, encrypt, type Metered, operate, randomBase64 } from '../support/operations.ts';
import { ALL_TIERS, makeTenant, type Tenant, type Tier } from '../support/tenant.ts';

const stack = inject('stack');
const TOO_LARGE = '413 payload_too_large';
const DEK = randomBase64(32);

let tenant: Tenant;
const keys = new Map<Tier, string>();

beforeAll(async () => {
  tenant = await makeTenant(stack);
  for (const tier of ALL_TIERS) keys.set(tier, await tenant.createKey(tier));
});

const call = async (tier: Tier, operation: Metered, body: unknown) =>
  operate(tenant.api, keys.get(tier) ?? '', operation, body);

describe.each(['free', 'wrapped', 'software'] as const)('plaintext on a %s key', (tier) => {
  test.each([1, 65_536])('may have %i bytes, and they come back', async (bytes) => {
    const plaintext = randomBase64(bytes);
    const ciphertext = text(await call(tier, 'encrypt', { plaintext }), 'ciphertext');
    expect(text(await call(tier, 'decrypt', { ciphertext }), 'plaintext') === plaintext).toBe(true);
    expect(outcome(await call(tier, 'rewrap', { ciphertext }))).toBe('200');
  });
});

describe.each(ALL_TIERS)('on a %s key', (tier) => {
  test('a plaintext of 65,537 bytes is too large, and the message names the limit', async () => {
    const answer = await call(tier, 'encrypt', { plaintext: randomBase64(65_537) });
    expect(outcome(answer)).toBe(TOO_LARGE);
    expect(text(answer, 'message').replace(',', '')).toContain('65536');
  });

  test('an empty plaintext is an invalid request', async () => {
    expect(outcome(await call(tier, 'encrypt', { plaintext: '' }))).toBe('400 invalid_request');
  });

  test.each([0, 1, 15, 17, 23, 25, 31, 33, 64, 65_536])(
    'a data key of %i bytes has no length of one',
    async (bytes) => {
      expect(outcome(await call(tier, 'wrap', { dek: randomBase64(bytes) }))).toBe('400 invalid_dek_length');
    },
  );
});

describe.each([
  ['free', 65_536],
  ['wrapped', 65_536],
  ['software', 65_520],
] as const)('aad on a %s key', (tier, limit) => {
  test(`may have ${limit} bytes in all five operations`, async () => {
    const aad = randomBase64(limit);
    const ciphertext = text(await call(tier, 'encrypt', { plaintext: DEK, aad }), 'ciphertext');
    const wrapped = text(await call(tier, 'wrap', { dek: DEK, aad }), 'wrapped');
    expect((await call(tier, 'decrypt', { ciphertext, aad })).body).toEqual({ plaintext: DEK });
    expect((await call(tier, 'unwrap', { wrapped, aad })).body).toEqual({ dek: DEK });
    expect(outcome(await call(tier, 'rewrap', { ciphertext, aad }))).toBe('200');
  });

  test('is too large with one byte more, in all five, and the message names the limit', async () => {
    const aad = randomBase64(limit + 1);
    const value = await encrypt(tenant.api, keys.get(tier) ?? '', DEK);
    const answers = [
      await call(tier, 'encrypt', { plaintext: DEK, aad }),
      await call(tier, 'decrypt', { ciphertext: value, aad }),
      await call(tier, 'wrap', { dek: DEK, aad }),
      await call(tier, 'unwrap', { wrapped: value, aad }),
      await call(tier, 'rewrap', { ciphertext: value, aad }),
    ];
    for (const answer of answers) {
      expect(outcome(answer)).toBe(TOO_LARGE);
      expect(text(answer, 'message').replace(',', '')).toContain(String(limit));
    }
  });
});

describe('on an hsm key', () => {
  test.each([
    [8_176, 0],
    [1, 8_175],
    [4_088, 4_088],
  ])('%i bytes of plaintext and %i of aad may go together, one more of either may not', async (bytes, aadBytes) => {
    const [plaintext, aad] = [randomBase64(bytes), randomBase64(aadBytes)];
    const ciphertext = text(await call('hsm', 'encrypt', { plaintext, aad }), 'ciphertext');
    expect((await call('hsm', 'decrypt', { ciphertext, aad })).body).toEqual({ plaintext });
    expect(outcome(await call('hsm', 'rewrap', { ciphertext, aad }))).toBe('200');
    const more = [
      { plaintext: randomBase64(bytes + 1), aad },
      { plaintext, aad: randomBase64(aadBytes + 1) },
    ];
    for (const body of more) expect(outcome(await call('hsm', 'encrypt', body))).toBe(TOO_LARGE);
  });

  test.each([
    ['of 16 bytes', { dek: randomBase64(16) }, 8_160],
    ['of 24 bytes', { dek: randomBase64(24) }, 8_152],
    ['of 32 bytes', { dek: DEK }, 8_144],
    ['that wrap generates', {}, 8_144],
  ])('a data key %s leaves room for an exact aad', async (_, body, aadBytes) => {
    const aad = randomBase64(aadBytes);
    const wrapped = text(await call('hsm', 'wrap', { ...body, aad }), 'wrapped');
    expect(outcome(await call('hsm', 'unwrap', { wrapped, aad }))).toBe('200');
    expect(outcome(await call('hsm', 'wrap', { ...body, aad: randomBase64(aadBytes + 1) }))).toBe(TOO_LARGE);
  });

  test.each([
    ['decrypt', 'ciphertext'],
    ['unwrap', 'wrapped'],
    ['rewrap', 'ciphertext'],
  ] as const)('%s has the limit of 65,520 bytes of aad, not the one on both together', async (operation, field) => {
    const value = await encrypt(tenant.api, keys.get('hsm') ?? '', DEK);
    const ending = async (aadBytes: number) =>
      outcome(await call('hsm', operation, { [field]: value, aad: randomBase64(aadBytes) }));
    expect(await ending(8_176)).toBe('400 invalid_ciphertext');
    expect(await ending(65_520)).toBe('400 invalid_ciphertext');
    expect(await ending(65_521)).toBe(TOO_LARGE);
  });
});

describe('with a plaintext of 65,536 bytes', () => {
  test.each(['free', 'wrapped', 'software'] as const)(
    '32,745 bytes of aad fit an encrypt body on a %s key',
    async (tier) => {
      const plaintext = randomBase64(65_536);
      expect(outcome(await call(tier, 'encrypt', { plaintext, aad: randomBase64(32_745) }))).toBe('200');
      expect(outcome(await call(tier, 'encrypt', { plaintext, aad: randomBase64(32_746) }))).toBe(TOO_LARGE);
    },
  );

  test.each(['free', 'wrapped'] as const)('32,709 bytes of aad can still be decrypted on a %s key', async (tier) => {
    for (const [aadBytes, expected] of [
      [32_709, '200'],
      [32_710, TOO_LARGE],
    ] as const) {
      const aad = randomBase64(aadBytes);
      const ciphertext = text(await call(tier, 'encrypt', { plaintext: randomBase64(65_536), aad }), 'ciphertext');
      expect(byteLength(ciphertext)).toBe(65_572);
      expect(outcome(await call(tier, 'decrypt', { ciphertext, aad }))).toBe(expected);
      expect(outcome(await call(tier, 'rewrap', { ciphertext, aad }))).toBe(expected);
    }
  });
});

test('a ciphertext has no limit but the body: what is over a field of 65,536 bytes is refused for what it is', async () => {
  const value = randomBase64(90_000);
  expect(outcome(await call('free', 'decrypt', { ciphertext: value }))).toBe('400 invalid_ciphertext');
  expect(outcome(await call('free', 'unwrap', { wrapped: value }))).toBe('400 invalid_ciphertext');
  expect(outcome(await call('free', 'rewrap', { ciphertext: value }))).toBe('400 invalid_ciphertext');
  expect(outcome(await operate(tenant.api, randomUUID(), 'decrypt', { ciphertext: value }))).toBe('404 not_found');
});
