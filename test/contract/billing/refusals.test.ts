import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { outcome, text } from '../../support/client.ts';
import { bodiesFor, METERED, type Metered, operate } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const PAID = ['wrapped', 'software', 'hsm'] as const;

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

  test('operations that make ciphertext are refused and not counted, and the message says what still works', async () => {
    const { ops } = await lineOf(tenant.api, key);
    for (const operation of ['encrypt', 'wrap', 'rewrap'] as const) {
      const answer = await operate(tenant.api, key, operation, bodies[operation]);
      expectRefusal(answer, '402 billing_required');
      const message = text(answer, 'message');
      expect(message).toContain("new ciphertext under a paid key needs the tenant's billing in good standing");
      expect(message).toContain('decrypt and unwrap still work');
      const [event] = await eventsOfKey(tenant.api, key);
      expect(event).toMatchObject({
        operation,
        error_code: 'billing_required',
        request_id: text(answer, 'request_id'),
      });
    }
    expect((await lineOf(tenant.api, key)).ops).toBe(ops);
  });

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
