import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../support/client.ts';
import { ALL_TIERS, makeTenant } from '../support/tenant.ts';

const stack = inject('stack');

describe.each(ALL_TIERS)('on a %s key', (tier) => {
  test('decrypt opens what encrypt made, with the same aad alone', async () => {
    const tenant = await makeTenant(stack);
    const path = `/v1/keys/${await tenant.createKey(tier)}`;
    const sealed = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'aGVsbG8=', aad: 'AA==' });
    const ciphertext = text(sealed, 'ciphertext');
    const opened = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext, aad: 'AA==' });
    expect(opened.body).toEqual({ plaintext: 'aGVsbG8=' });
    expect(outcome(await tenant.api.send('POST', `${path}/decrypt`, { ciphertext }))).toBe('400 invalid_ciphertext');
  });
});
