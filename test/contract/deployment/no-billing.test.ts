import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { methodOf, pathOf } from '../../support/cases.ts';
import { outcome, send, text } from '../../support/client.ts';
import { bodiesFor, byteLength, encrypt, METERED, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { ROUTES } from '../../support/route-table.ts';
import { ALL_TIERS, type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

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

test('without billing a tenant can have several free keys, with unique names', async () => {
  const create = async (client: Client, name: string) =>
    outcome(await client.send('POST', '/v1/keys', { name, tier: 'free' }));
  for (const client of [tenant.api, tenant.console]) expect(await create(client, randomUUID())).toBe('201');
  expect([await create(tenant.api, 'one'), await create(tenant.api, 'one')]).toEqual(['201', '409 key_exists']);
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

test.each(['free', 'wrapped'] as const)(
  'without a wrapped root (the KMS key for data keys), a %s key has the limits and the ciphertext of a software key, but keeps only one version',
  async (tier) => {
    const [key, other] = [await tenant.createKey(tier), await tenant.createKey(tier)];
    const plaintext = randomBase64(65_536);
    const largest = await encrypt(tenant.api, key, plaintext);
    expect(text(await operate(tenant.api, key, 'decrypt', { ciphertext: largest }), 'plaintext') === plaintext).toBe(
      true,
    );
    const aad = randomBase64(65_520);
    const ciphertext = await encrypt(tenant.api, key, 'aGVsbG8=', aad);
    const more = { plaintext: 'aGVsbG8=', aad: randomBase64(65_521) };
    expect(outcome(await operate(tenant.api, key, 'encrypt', more))).toBe('413 payload_too_large');
    expect(byteLength(await encrypt(tenant.api, key, randomBase64(100)))).not.toBe(136);

    const open = async (id: string, aad: string) =>
      outcome(await operate(tenant.api, id, 'decrypt', { ciphertext, aad }));
    const refused = '400 invalid_ciphertext';
    expect([await open(key, aad), await open(key, 'AAAB'), await open(other, aad)]).toEqual(['200', refused, refused]);
    await rotate(tenant.api, key);
    expect(await open(key, aad)).toBe(refused);
    expect(outcome(await operate(tenant.api, key, 'wrap', {}))).toBe('200');
  },
);
