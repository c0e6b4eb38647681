import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../support/client.ts';
import { encrypt, type Metered, operate, randomBase64 } from '../support/operations.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
const DEK = randomBase64(32);
const AAD = 'Y29udGV4dA==';
const REFUSED = '400 invalid_ciphertext';
const NONE = [{}, { aad: null }, { aad: '' }];
/** What a caller may give instead of the aad that the value is bound to. */
const OTHERS = [...NONE, { aad: 'Y29udGV4dQ==' }, { aad: 'Y29udGV4' }, { aad: 'Y29udGV4dAA=' }, { AAD }, { add: AAD }];
const OPENERS = [
  ['decrypt', 'ciphertext'],
  ['unwrap', 'wrapped'],
  ['rewrap', 'ciphertext'],
] as const;

describe.each(ALL_TIERS)('aad on a %s key', (tier) => {
  let tenant: Tenant;
  let key: string;
  const call = (operation: Metered, body: unknown) => operate(tenant.api, key, operation, body);

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    key = await tenant.createKey(tier);
  });

  test.each(NONE)('%j on encrypt and wrap means none, and so do all three to what opens it', async (none) => {
    const encrypted = text(await call('encrypt', { plaintext: DEK, ...none }), 'ciphertext');
    const wrapped = text(await call('wrap', { dek: DEK, ...none }), 'wrapped');
    for (const value of [encrypted, wrapped]) {
      for (const again of NONE) {
        expect((await call('decrypt', { ciphertext: value, ...again })).body).toEqual({ plaintext: DEK });
        expect((await call('unwrap', { wrapped: value, ...again })).body).toEqual({ dek: DEK });
        expect(outcome(await call('rewrap', { ciphertext: value, ...again }))).toBe('200');
      }
    }
  });

  test.each(OPENERS)('%s refuses any other aad than the one encrypt was given', async (operation, field) => {
    const value = await encrypt(tenant.api, key, DEK, AAD);
    for (const other of OTHERS) expect(outcome(await call(operation, { [field]: value, ...other }))).toBe(REFUSED);
    expect(outcome(await call(operation, { [field]: value, aad: AAD }))).toBe('200');
  });

  test.each(OPENERS)('%s refuses any other aad than the one wrap was given', async (operation, field) => {
    const value = text(await call('wrap', { dek: DEK, aad: AAD }), 'wrapped');
    for (const other of OTHERS) expect(outcome(await call(operation, { [field]: value, ...other }))).toBe(REFUSED);
    expect(outcome(await call(operation, { [field]: value, aad: AAD }))).toBe('200');
  });

  test.each(OPENERS)('%s refuses an aad for a value that was bound to none', async (operation, field) => {
    const value = await encrypt(tenant.api, key, DEK);
    expect(outcome(await call(operation, { [field]: value, aad: 'AA==' }))).toBe(REFUSED);
  });

  test('a misspelled aad is ignored: the value is bound to none', async () => {
    const ciphertext = text(await call('encrypt', { plaintext: DEK, addd: AAD }), 'ciphertext');
    expect((await call('decrypt', { ciphertext })).body).toEqual({ plaintext: DEK });
    expect(outcome(await call('decrypt', { ciphertext, aad: AAD }))).toBe(REFUSED);
  });
});
