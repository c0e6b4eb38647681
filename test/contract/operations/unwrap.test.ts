import { describe, expect, inject, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { encrypt, keysOfAllTiers, randomBase64 } from '../../support/operations.ts';
import { ALL_TIERS } from '../../support/tenant.ts';

const keys = keysOfAllTiers(inject('stack'));

describe.each(ALL_TIERS)('unwrap on a %s key', (tier) => {
  test.each([16, 24, 32])(
    'unwrap also returns a data key of %i bytes that was encrypted with encrypt instead of wrap',
    async (bytes) => {
      const dek = randomBase64(bytes);
      const wrapped = await encrypt(keys.tenant.api, keys.keyOf(tier), dek);
      expect((await keys.call(tier, 'unwrap', { wrapped })).body).toEqual({ dek });
    },
  );

  test.each([1, 15, 17, 31, 33, 64])(
    'unwrap refuses a value of %i bytes, because no data key has this length',
    async (bytes) => {
      const wrapped = await encrypt(keys.tenant.api, keys.keyOf(tier), randomBase64(bytes));
      expect(outcome(await keys.call(tier, 'unwrap', { wrapped }))).toBe('400 invalid_ciphertext');
    },
  );
});
