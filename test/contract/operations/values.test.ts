import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { byteLength, encrypt, METERED, type Metered, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ALL_TIERS, type Client, makeTenant, type Tier } from '../../support/tenant.ts';

const stack = inject('stack');
const keys = { free: '', wrapped: '', software: '', hsm: '' };
let api: Client;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  ({ api } = tenant);
  for (const tier of ALL_TIERS) keys[tier] = await tenant.createKey(tier);
});
const callWith = (tier: Tier, operation: Metered, body: unknown) => operate(api, keys[tier], operation, body);
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

describe.each(ALL_TIERS)('operations with a %s key', (tier) => {
  const call = (operation: Metered, body: unknown) => callWith(tier, operation, body);

  test('encrypt and rewrap answer with only a ciphertext, which differs each time, and decrypt with only the plaintext', async () => {
    const first = await call('encrypt', { plaintext: DEK, aad: AAD });
    const rewrapped = await call('rewrap', { ciphertext: text(first, 'ciphertext'), aad: AAD });
    const values = [first, await call('encrypt', { plaintext: DEK, aad: AAD }), rewrapped].map(({ status, body }) => {
      expect([status, body]).toEqual([200, { ciphertext: expect.any(String) }]);
      return String(Object(body).ciphertext);
    });
    expect(new Set(values).size).toBe(3);
    for (const ciphertext of values) {
      const bytes = Buffer.from(ciphertext, 'base64');
      expect([bytes.toString('base64'), bytes.includes(Buffer.from(DEK, 'base64'))]).toEqual([ciphertext, false]);
      const opened = await call('decrypt', { ciphertext, aad: AAD });
      expect([opened.status, opened.body]).toEqual([200, { plaintext: DEK }]);
    }
  });

  test('unwrap and decrypt return data keys of 16, 24 and 32 bytes, and refuse only other values as data keys', async () => {
    for (const bytes of [16, 24, 32]) {
      const dek = randomBase64(bytes);
      const wrapped = await call('wrap', { dek, aad: AAD });
      expect([wrapped.status, wrapped.body]).toEqual([200, { wrapped: expect.any(String) }]);
      for (const value of [text(wrapped, 'wrapped'), await encrypt(api, keys[tier], dek, AAD)]) {
        expect((await call('unwrap', { wrapped: value, aad: AAD })).body).toEqual({ dek });
        expect((await call('decrypt', { ciphertext: value, aad: AAD })).body).toEqual({ plaintext: dek });
      }
    }
    const other = randomBase64(17);
    expect(outcome(await call('wrap', { dek: other }))).toBe('400 invalid_dek_length');
    const wrapped = await encrypt(api, keys[tier], other);
    expect(outcome(await call('unwrap', { wrapped }))).toBe(REFUSED);
  });

  test.each([{}, { dek: null }])(
    'wrap with the body %j generates a new data key of 32 bytes each time',
    async (body) => {
      const [first, second] = [await call('wrap', body), await call('wrap', body)];
      expect(first.body).toEqual({ wrapped: expect.any(String), dek: expect.any(String) });
      const dek = text(first, 'dek');
      expect(Buffer.from(dek, 'base64').toString('base64')).toBe(dek);
      expect([byteLength(dek), dek === text(second, 'dek')]).toEqual([32, false]);
      expect((await call('unwrap', { wrapped: text(first, 'wrapped') })).body).toEqual({ dek });
    },
  );

  test.each(NONE)('encrypt and wrap treat %j as no aad, and any aad is refused for the result', async (none) => {
    const encrypted = text(await call('encrypt', { plaintext: DEK, ...none }), 'ciphertext');
    const wrapped = text(await call('wrap', { dek: DEK, ...none }), 'wrapped');
    for (const value of [encrypted, wrapped]) {
      for (const [operation, field] of DECRYPTING) {
        for (const again of NONE) expect(outcome(await call(operation, { [field]: value, ...again }))).toBe('200');
        expect(outcome(await call(operation, { [field]: value, aad: 'AA==' }))).toBe(REFUSED);
      }
    }
  });

  test.each(DECRYPTING)('%s refuses any aad other than the one given to encrypt or wrap', async (operation, field) => {
    const wrapped = text(await call('wrap', { dek: DEK, aad: AAD }), 'wrapped');
    for (const value of [await encrypt(api, keys[tier], DEK, AAD), wrapped]) {
      for (const other of OTHERS) expect(outcome(await call(operation, { [field]: value, ...other }))).toBe(REFUSED);
      expect(outcome(await call(operation, { [field]: value, aad: AAD }))).toBe('200');
    }
  });
});

test.each([
  ['free', 65_536],
  ['wrapped', 65_536],
  ['software', 65_520],
] as const)(
  'with a %s key, a plaintext may have 65,536 bytes and an aad %i, in a body that has room for both, and a refusal names the limit',
  async (tier, limit) => {
    const call = (operation: Metered, body: unknown) => callWith(tier, operation, body);
    const plaintext = randomBase64(65_536);
    const largest = text(await call('encrypt', { plaintext }), 'ciphertext');
    expect(text(await call('decrypt', { ciphertext: largest }), 'plaintext') === plaintext).toBe(true);
    expect(outcome(await call('rewrap', { ciphertext: largest }))).toBe('200');
    const sealed = async (bytes: number, aadBytes = 0) =>
      outcome(await call('encrypt', { plaintext: randomBase64(bytes), aad: randomBase64(aadBytes) }));
    expect(await sealed(65_537)).toBe(TOO_LARGE);
    expect([await sealed(65_536, 32_745), await sealed(65_536, 32_746)]).toEqual(['200', TOO_LARGE]);

    const aad = randomBase64(limit);
    const ciphertext = text(await call('encrypt', { plaintext: DEK, aad }), 'ciphertext');
    const bodies = {
      ...{ encrypt: { plaintext: DEK }, decrypt: { ciphertext }, rewrap: { ciphertext } },
      ...{ wrap: { dek: DEK }, unwrap: { wrapped: ciphertext } },
    };
    for (const operation of METERED) {
      expect(outcome(await call(operation, { ...bodies[operation], aad }))).toBe('200');
      const refused = await call(operation, { ...bodies[operation], aad: randomBase64(limit + 1) });
      expect([outcome(refused), text(refused, 'message').replace(',', '')]).toEqual([
        TOO_LARGE,
        expect.stringContaining(String(limit)),
      ]);
    }
  },
);

test('with an hsm key, a data key and its aad may have 8,176 bytes together, and the aad of a ciphertext 65,520', async () => {
  const aad = randomBase64(8_144);
  const wrapped = text(await callWith('hsm', 'wrap', { dek: DEK, aad }), 'wrapped');
  expect((await callWith('hsm', 'unwrap', { wrapped, aad })).body).toEqual({ dek: DEK });
  expect(outcome(await callWith('hsm', 'rewrap', { ciphertext: wrapped, aad }))).toBe('200');
  for (const [operation, field] of [['encrypt', 'plaintext'] as const, ['wrap', 'dek'] as const]) {
    expect(outcome(await callWith('hsm', operation, { [field]: DEK, aad }))).toBe('200');
    const more = await callWith('hsm', operation, { [field]: DEK, aad: randomBase64(8_145) });
    expect(outcome(more)).toBe(TOO_LARGE);
  }
  for (const [operation, field] of DECRYPTING) {
    const outcomeWith = async (aadBytes: number) =>
      outcome(await callWith('hsm', operation, { [field]: wrapped, aad: randomBase64(aadBytes) }));
    expect([await outcomeWith(65_520), await outcomeWith(65_521)]).toEqual([REFUSED, TOO_LARGE]);
  }
});

test.each(['free', 'wrapped'] as const)(
  'a ciphertext of a %s key has the message format with the version of the key',
  async (tier) => {
    const { api, createKey } = await makeTenant(stack);
    const key = await createKey(tier);
    for (const version of [1, 2]) {
      if (version > 1) await rotate(api, key);
      const wrapped = text(await operate(api, key, 'wrap', {}), 'wrapped');
      for (const made of [wrapped, await encrypt(api, key, randomBase64(32))]) {
        const value = Buffer.from(made, 'base64');
        expect([value.length, ...value.subarray(0, 4)]).toEqual([32 + 36, 1, 0, 0, version]);
      }
    }
  },
);

test.each([
  ['software', 3],
  ['hsm', 2],
] as const)(
  'a rewrapped ciphertext of a %s key uses the primary version and can be decrypted after the original version is retired (versions retained: %i)',
  async (tier, retained) => {
    const { api, createKey } = await makeTenant(stack);
    const key = await createKey(tier);
    const ciphertext = await encrypt(api, key, DEK);
    await rotate(api, key);
    const rewrapped = text(await operate(api, key, 'rewrap', { ciphertext }), 'ciphertext');
    await rotate(api, key, retained - 1);
    expect(outcome(await operate(api, key, 'decrypt', { ciphertext }))).toBe(REFUSED);
    expect((await operate(api, key, 'decrypt', { ciphertext: rewrapped })).body).toEqual({ plaintext: DEK });
  },
);
