import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { methodOf, pathOf } from '../../support/cases.ts';
import { outcome, send, text } from '../../support/client.ts';
import { bodiesFor, byteLength, encrypt, METERED, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { ROUTES } from '../../support/route-table.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../../support/tenant.ts';

/** One stack tests both options, because they are independent and a second stack would take time to start. */
const stack = ownStack('--no-billing', '--no-wrapped-root');

let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack, 'none');
});

test.each(ALL_TIERS)('without billing every tenant can create and use %s keys', async (tier) => {
  const key = await tenant.createKey(tier);
  const bodies = await bodiesFor(tenant.api, key);
  const answers = METERED.map((operation) => operate(tenant.api, key, operation, bodies[operation]));
  expect((await Promise.all(answers)).map(outcome)).toEqual(Array(5).fill('200'));
});

test('without billing a tenant can have several free keys', async () => {
  for (const client of [tenant.api, tenant.console, tenant.api]) {
    expect(outcome(await client.send('POST', '/v1/keys', { name: randomUUID(), tier: 'free' }))).toBe('201');
  }
});

test('without billing a key name is still unique', async () => {
  const name = randomUUID();
  await tenant.createKey('free', name);
  expect(outcome(await tenant.api.send('POST', '/v1/keys', { name, tier: 'free' }))).toBe('409 key_exists');
});

test.each(ROUTES.filter(({ call }) => /billing|webhooks/.test(call)))(
  'without billing $call is not a route',
  async ({ call }) => {
    for (const { token } of [tenant.console, tenant.api]) {
      expect(outcome(await send(methodOf(call), `${stack.baseUrl}${pathOf(call)}`, { token }))).toBe('404 not_found');
    }
  },
);

test('without billing the other routes of the console still work', async () => {
  expect(outcome(await tenant.console.send('GET', '/v1/me'))).toBe('200');
  expect(outcome(await tenant.console.send('GET', '/v1/audit'))).toBe('200');
});

describe.each(['free', 'wrapped'] as const)('a %s key without a wrapped root (the KMS key for data keys)', (tier) => {
  let key: string;
  beforeAll(async () => {
    key = await tenant.createKey(tier);
  });

  test('without a wrapped root an aad can have 65,520 bytes, as for a software key', async () => {
    const aad = randomBase64(65_520);
    const ciphertext = await encrypt(tenant.api, key, 'aGVsbG8=', aad);
    expect((await operate(tenant.api, key, 'decrypt', { ciphertext, aad })).body).toEqual({ plaintext: 'aGVsbG8=' });
    const more = { plaintext: 'aGVsbG8=', aad: randomBase64(65_521) };
    expect(outcome(await operate(tenant.api, key, 'encrypt', more))).toBe('413 payload_too_large');
  });

  test('without a wrapped root a plaintext of 65,536 bytes is encrypted and decrypted', async () => {
    const plaintext = randomBase64(65_536);
    const ciphertext = await encrypt(tenant.api, key, plaintext);
    expect(text(await operate(tenant.api, key, 'decrypt', { ciphertext }), 'plaintext') === plaintext).toBe(true);
  });

  test('without a wrapped root the ciphertext has the format of the KMS', async () => {
    expect(byteLength(await encrypt(tenant.api, key, randomBase64(100)))).not.toBe(136);
  });

  test('without a wrapped root a ciphertext can be decrypted only with its key and its aad', async () => {
    const other = await tenant.createKey(tier);
    const ciphertext = await encrypt(tenant.api, key, 'aGVsbG8=', 'AAAA');
    const open = async (id: string, aad: string) =>
      outcome(await operate(tenant.api, id, 'decrypt', { ciphertext, aad }));
    expect([await open(key, 'AAAA'), await open(key, 'AAAB'), await open(other, 'AAAA')]).toEqual([
      '200',
      '400 invalid_ciphertext',
      '400 invalid_ciphertext',
    ]);
  });

  test('without a wrapped root a key still keeps only one version', async () => {
    const ciphertext = await encrypt(tenant.api, key, 'aGVsbG8=');
    await rotate(tenant.api, key);
    const decrypted = await operate(tenant.api, key, 'decrypt', { ciphertext });
    expect(outcome(decrypted)).toBe('400 invalid_ciphertext');
    expect(outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
  });
});
