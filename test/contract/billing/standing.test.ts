import { expect, inject, test } from 'vitest';
import { setSubscription } from '../../support/billing.ts';
import { outcome } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

/** Tries to encrypt with a paid key and to create a paid key, which both need good standing. Returns the outcomes. */
async function newCiphertextAndKey({ api }: Tenant, key: string): Promise<string[]> {
  const answers = [
    await operate(api, key, 'encrypt', { plaintext: 'aGVsbG8=' }),
    await api.send('POST', '/v1/keys', { name: `beside ${key}`, tier: 'wrapped' }),
  ];
  return answers.map(outcome);
}

const GOOD = ['200', '201'];
const REFUSED = ['402 billing_required', '402 billing_required'];

test.each([
  ['active', 'good', GOOD],
  ['trialing', 'good', GOOD],
  ['past_due', 'good', GOOD],
  ['incomplete', 'none', REFUSED],
  ['incomplete_expired', 'none', REFUSED],
  ['unpaid', 'none', REFUSED],
  ['paused', 'none', REFUSED],
  ['canceled', 'none', REFUSED],
])('a subscription with the status %s gives the tenant the standing "%s"', async (status, standing, outcomes) => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('wrapped');
  await setSubscription(stack, tenant.id, status);
  const answer = await tenant.console.send('GET', '/v1/billing');
  expect([answer.status, answer.body]).toEqual([200, { standing, subscription: { status } }]);
  expect(await newCiphertextAndKey(tenant, key)).toEqual(outcomes);
});

test('a tenant without a subscription has the standing "none"', async () => {
  const { console, api } = await makeTenant(stack, 'none');
  const answer = await console.send('GET', '/v1/billing');
  expect([answer.status, answer.body]).toEqual([200, { standing: 'none', subscription: null }]);
  const created = await api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' });
  expect(outcome(created)).toBe('402 billing_required');
});

test('an incomplete checkout does not change the standing', async () => {
  const { console } = await makeTenant(stack, 'none');
  await console.send('POST', '/v1/billing/checkout');
  expect((await console.send('GET', '/v1/billing')).body).toEqual({ standing: 'none', subscription: null });
});
