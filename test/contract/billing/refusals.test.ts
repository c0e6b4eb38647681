import { expect, inject, test } from 'vitest';
import { setSubscription } from '../../support/billing.ts';
import { outcome, text } from '../../support/client.ts';
import { bodiesFor, METERED, type Metered, operate } from '../../support/operations.ts';
import { makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const REFUSED = '402 billing_required';

const billingOf = async ({ console }: Tenant) => (await console.send('GET', '/v1/billing')).body;
const createKey = async ({ api }: Tenant, tier: Tier) =>
  outcome(await api.send('POST', '/v1/keys', { name: `another ${tier} key`, tier }));

test.each([
  ['active', 'good'],
  ['trialing', 'good'],
  ['past_due', 'good'],
  ['incomplete', 'none'],
  ['incomplete_expired', 'none'],
  ['unpaid', 'none'],
  ['paused', 'none'],
  ['canceled', 'none'],
])(
  'a subscription with the status %s gives the tenant the standing "%s", which decides about new ciphertext and new keys',
  async (status, standing) => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('wrapped');
    await setSubscription(stack, tenant.id, status);
    expect(await billingOf(tenant)).toEqual({ standing, subscription: { status } });
    const encrypted = outcome(await operate(tenant.api, key, 'encrypt', { plaintext: 'aGVsbG8=' }));
    const expected = standing === 'good' ? ['200', '201'] : [REFUSED, REFUSED];
    expect([encrypted, await createKey(tenant, 'wrapped')]).toEqual(expected);
  },
);

test('a tenant without a subscription has the standing "none", even after an incomplete checkout', async () => {
  const tenant = await makeTenant(stack, 'none');
  for (const call of ['GET /v1/billing', 'POST /v1/billing/checkout']) {
    const [method = '', path = ''] = call.split(' ');
    expect(outcome(await tenant.console.send(method, path))).toBe('200');
    expect(await billingOf(tenant)).toEqual({ standing: 'none', subscription: null });
  }
  expect(await createKey(tenant, 'wrapped')).toBe(REFUSED);
});

/** Makes a tenant with a key and prepares requests that use the key, then cancels the tenant's subscription. */
async function makeLapsed(tier: Tier) {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey(tier);
  const bodies = await bodiesFor(tenant.api, key);
  await setSubscription(stack, tenant.id, 'canceled');
  const ops = async () => (await lineOf(tenant.api, key)).ops;
  const perform = (operation: Metered) => operate(tenant.api, key, operation, bodies[operation]);
  return { tenant, key, ops, perform };
}

test.each(['wrapped', 'software', 'hsm'] as const)(
  'while billing is not in good standing, a %s key makes no ciphertext, and everything else still works',
  async (tier) => {
    const { tenant, key, ops, perform } = await makeLapsed(tier);
    const before = await ops();
    for (const operation of ['encrypt', 'wrap', 'rewrap'] as const) {
      const answer = await perform(operation);
      expect(outcome(answer)).toBe(REFUSED);
      const message = text(answer, 'message');
      expect(message).toContain("new ciphertext under a paid key needs the tenant's billing in good standing");
      expect(message).toContain('decrypt and unwrap still work');
    }
    expect(await ops()).toBe(before);
    for (const operation of ['decrypt', 'unwrap'] as const) expect(outcome(await perform(operation))).toBe('200');
    expect(await ops()).toBe(before + 2);
    const path = `/v1/keys/${key}`;
    for (const client of [tenant.api, tenant.console]) {
      for (const [method, target, body] of [
        ['PATCH', path, { name: `renamed by ${client.token?.slice(0, 3)}` }],
        ['DELETE', path],
        ['POST', `${path}/restore`],
        ['GET', path],
        ['GET', '/v1/keys'],
        ['GET', '/v1/usage'],
        ['GET', `${path}/audit`],
        ['POST', `${path}/rotate`],
      ] as const) {
        expect([method, target, outcome(await client.send(method, target, body))]).toEqual([method, target, '200']);
      }
    }
  },
);

test('free keys can be used and created while billing is not in good standing', async () => {
  const { tenant, key, perform } = await makeLapsed('free');
  expect((await Promise.all(METERED.map(perform))).map(outcome)).toEqual(Array(5).fill('200'));
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${key}/destroy`))).toBe('204');
  expect(await createKey(tenant, 'free')).toBe('201');
});
