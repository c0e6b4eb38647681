import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey, keyEventsOfTenant } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { outcome, text } from '../../support/client.ts';
import { bodiesFor, METERED, type Metered, operate } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const PAID = ['wrapped', 'software', 'hsm'] as const;
const NEW_CIPHERTEXT = ['encrypt', 'wrap', 'rewrap'] as const;
const REFUSED = '402 billing_required';

/** Makes a tenant with a key and prepares requests that use the key, then cancels the tenant's subscription. */
async function makeLapsed(tier: 'free' | (typeof PAID)[number]) {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey(tier);
  const bodies = await bodiesFor(tenant.api, key);
  await setSubscription(stack, tenant.id, 'canceled');
  return { tenant, key, bodies };
}

describe.each(PAID)('a %s key while billing is not in good standing', (tier) => {
  let tenant: Tenant;
  let key: string;
  let bodies: Record<Metered, unknown>;
  beforeAll(async () => {
    ({ tenant, key, bodies } = await makeLapsed(tier));
  });

  test.each(NEW_CIPHERTEXT)(
    '%s is refused while billing is not in good standing, and the refusal is recorded but not counted',
    async (operation) => {
      const { ops } = await lineOf(tenant.api, key);
      const answer = await operate(tenant.api, key, operation, bodies[operation]);
      expectRefusal(answer, REFUSED);
      const message = text(answer, 'message');
      expect(message).toContain("new ciphertext under a paid key needs the tenant's billing in good standing");
      expect(message).toContain('decrypt and unwrap still work');
      const [event] = await eventsOfKey(tenant.api, key);
      expect(event).toMatchObject({
        operation,
        result: 'error',
        error_code: 'billing_required',
        key_id: key,
        api_key_id: tenant.apiKeyId,
        request_id: text(answer, 'request_id'),
      });
      expect((await lineOf(tenant.api, key)).ops).toBe(ops);
    },
  );

  test.each(['decrypt', 'unwrap'] as const)(
    '%s works and is counted while billing is not in good standing',
    async (operation) => {
      const { ops } = await lineOf(tenant.api, key);
      expect(outcome(await operate(tenant.api, key, operation, bodies[operation]))).toBe('200');
      expect((await lineOf(tenant.api, key)).ops).toBe(ops + 1);
    },
  );

  test('rename, delete, restore, rotate, lists and reports work while billing is not in good standing', async () => {
    const path = `/v1/keys/${key}`;
    for (const client of [tenant.api, tenant.console]) {
      const answers = [
        await client.send('PATCH', path, { name: `renamed by ${client.token?.slice(0, 3)}` }),
        await client.send('DELETE', path),
        await client.send('POST', `${path}/restore`),
        await client.send('GET', path),
        await client.send('GET', '/v1/keys'),
        await client.send('GET', '/v1/usage'),
        await client.send('GET', `${path}/audit`),
        await client.send('POST', `${path}/rotate`),
      ];
      expect(answers.map(outcome)).toEqual(Array(8).fill('200'));
    }
  });
});

test('free keys can be used and created while billing is not in good standing', async () => {
  const { tenant, key, bodies } = await makeLapsed('free');
  const answers = METERED.map((operation) => operate(tenant.api, key, operation, bodies[operation]));
  expect((await Promise.all(answers)).map(outcome)).toEqual(Array(5).fill('200'));
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${key}/destroy`))).toBe('204');
  const another = await tenant.api.send('POST', '/v1/keys', { name: 'another', tier: 'free' });
  expect(outcome(another)).toBe('201');
});

describe('creating a paid key while billing is not in good standing', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await makeTenant(stack, 'none');
  });

  test.each(PAID)(
    'creating a %s key while billing is not in good standing is refused and recorded, and creates no key',
    async (tier) => {
      for (const client of [tenant.api, tenant.console]) {
        const answer = await client.send('POST', '/v1/keys', { name: 'orders', tier });
        expectRefusal(answer, REFUSED);
        expect(text(answer, 'message')).toMatch(/a paid key needs .*billing in good standing/);
        const [event] = await keyEventsOfTenant(tenant.console);
        expect(event).toMatchObject({
          operation: 'create_key',
          error_code: 'billing_required',
          key_id: null,
          request_id: text(answer, 'request_id'),
        });
      }
      expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([]);
    },
  );

  test('an API key without the action create gets 403 action_not_allowed, not 402 billing_required', async () => {
    const { client } = await tenant.mint({ allowed_actions: [] });
    const answer = await client.send('POST', '/v1/keys', { name: 'orders', tier: 'hsm' });
    expectRefusal(answer, '403 action_not_allowed');
  });
});
