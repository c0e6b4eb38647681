import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { byteLength, keysOfAllTiers, randomBase64 } from '../../support/operations.ts';
import { ALL_TIERS } from '../../support/tenant.ts';

const { call } = keysOfAllTiers(inject('stack'));
const AAD = 'Y29udGV4dA==';

describe.each(ALL_TIERS)('wrap on a %s key', (tier) => {
  test.each([16, 24, 32])(
    'unwrap returns a data key of %i bytes that wrap has wrapped, and the answer of wrap does not contain the data key',
    async (bytes) => {
      const dek = randomBase64(bytes);
      const wrapped = await call(tier, 'wrap', { dek, aad: AAD });
      expect([wrapped.status, wrapped.body]).toEqual([200, { wrapped: expect.any(String) }]);
      const unwrapped = await call(tier, 'unwrap', { wrapped: text(wrapped, 'wrapped'), aad: AAD });
      expect([unwrapped.status, unwrapped.body]).toEqual([200, { dek }]);
    },
  );

  test.each([{}, { dek: null }])(
    'wrap with the body %j generates a new data key of 32 bytes each time',
    async (body) => {
      const [first, second] = [await call(tier, 'wrap', body), await call(tier, 'wrap', body)];
      expect(first.body).toEqual({ wrapped: expect.any(String), dek: expect.any(String) });
      const dek = text(first, 'dek');
      expect(byteLength(dek)).toBe(32);
      expect(dek).not.toBe(text(second, 'dek'));
      expect((await call(tier, 'unwrap', { wrapped: text(first, 'wrapped') })).body).toEqual({ dek });
    },
  );

  test.each([0, 1, 15, 17, 23, 25, 31, 33, 64, 65_536])(
    'wrap refuses a data key of %i bytes because of its length',
    async (bytes) => {
      expect(outcome(await call(tier, 'wrap', { dek: randomBase64(bytes) }))).toBe('400 invalid_dek_length');
    },
  );
});

describe('wrap on an hsm key', () => {
  test.each([
    ['of 16 bytes', { dek: randomBase64(16) }, 8_160],
    ['of 24 bytes', { dek: randomBase64(24) }, 8_152],
    ['of 32 bytes', { dek: randomBase64(32) }, 8_144],
    ['that wrap generates', {}, 8_144],
  ])('wrap with an hsm key and a data key %s accepts at most $2 bytes of aad', async (_, body, aadBytes) => {
    const aad = randomBase64(aadBytes);
    const wrapped = text(await call('hsm', 'wrap', { ...body, aad }), 'wrapped');
    expect(outcome(await call('hsm', 'unwrap', { wrapped, aad }))).toBe('200');
    const more = await call('hsm', 'wrap', { ...body, aad: randomBase64(aadBytes + 1) });
    expect(outcome(more)).toBe('413 payload_too_large');
  });
});
