import { describe, expect, test } from 'vitest';
import { at, customerOf, type Harness, priceId, startHarness, unix } from './stripe-harness.ts';

const statuses = ['active', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing', 'unpaid'] as const;

function typesOf({ receiver }: Harness): string[] {
  return receiver.events.map(({ type }) => type);
}

describe('the control of a tenant’s subscription', () => {
  test('a new tenant gets a customer and a subscription, and setSubscription resolves after the service has received the events', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    expect(typesOf(harness)).toEqual(['customer.created', 'customer.subscription.created']);
    expect(harness.receiver.events[1]?.data.object).toMatchObject({
      object: 'subscription',
      status: 'active',
      metadata: { tenant_id: 't1' },
    });
  });

  test('a tenant for which the service has made a customer gets no second customer', async () => {
    const harness = await startHarness();
    const customer = await customerOf(harness);
    await harness.emulator.setSubscription('t1', 'active');
    expect((await harness.stripe.subscriptions.list({ customer })).data).toHaveLength(1);
    expect((await harness.stripe.customers.list()).data).toHaveLength(1);
  });

  test.each(statuses)('a subscription can be started as %s and can be changed to that status', async (status) => {
    const { emulator, stripe } = await startHarness();
    await emulator.setSubscription('t1', status);
    await emulator.setSubscription('t2', 'active');
    await emulator.setSubscription('t2', status);
    const { data } = await stripe.subscriptions.list({ status: 'all' });
    expect(data.map((subscription) => [subscription.metadata.tenant_id, subscription.status])).toEqual([
      ['t2', status],
      ['t1', status],
    ]);
  });

  test('a change of an open subscription’s status is sent to the service', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    await harness.emulator.setSubscription('t1', 'past_due');
    expect(harness.receiver.events.at(-1)).toMatchObject({
      type: 'customer.subscription.updated',
      data: { object: { status: 'past_due' } },
    });
    expect(harness.receiver.events.at(-2)?.data.object).toMatchObject({ status: 'active' });
  });

  test.each([
    ['canceled', [{ status: 'canceled' }]],
    ['none', []],
  ] as const)(
    'a subscription whose status is set to %s ends, and is no longer listed as open',
    async (status, left) => {
      const harness = await startHarness();
      await harness.emulator.setSubscription('t1', 'active');
      await harness.emulator.setSubscription('t1', status);
      expect(harness.receiver.events.at(-1)).toMatchObject({
        type: 'customer.subscription.deleted',
        data: { object: { status: 'canceled' } },
      });
      expect((await harness.stripe.subscriptions.list()).data).toEqual([]);
      expect((await harness.stripe.subscriptions.list({ status: 'all' })).data).toMatchObject(left);
    },
  );

  test('for a tenant without a subscription, the status "none" changes nothing, and "canceled" creates an ended subscription', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'none');
    expect(typesOf(harness)).toEqual([]);
    expect((await harness.stripe.customers.list()).data).toEqual([]);
    await harness.emulator.setSubscription('t1', 'canceled');
    expect((await harness.stripe.subscriptions.list({ status: 'all' })).data).toMatchObject([{ status: 'canceled' }]);
  });

  test('a tenant whose subscription has ended gets a new subscription when the status is set to active', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    await harness.emulator.setSubscription('t1', 'canceled');
    await harness.emulator.setSubscription('t1', 'active');
    expect(typesOf(harness).at(-1)).toBe('customer.subscription.created');
    const { data } = await harness.stripe.subscriptions.list({ status: 'all' });
    expect(data.map(({ status }) => status)).toEqual(['active', 'canceled']);
    expect(new Set(data.map(({ customer }) => customer)).size).toBe(1);
  });

  test('a new status changes only a subscription with the tenant’s customer and the service’s price', async () => {
    const harness = await startHarness();
    const { emulator, stripe } = harness;
    const customer = await customerOf(harness);
    const otherCustomer = (await stripe.customers.create()).id;
    const metadata = { tenant_id: 't1' };
    const foreign = await stripe.subscriptions.create({
      customer: otherCustomer,
      items: [{ price: priceId }],
      metadata,
    });
    const other = await stripe.subscriptions.create({ customer, items: [{ price: 'price_other' }], metadata });
    for (const status of ['active', 'unpaid', 'none'] as const) await emulator.setSubscription('t1', status);
    const { data } = await stripe.subscriptions.list({ status: 'all' });
    expect(data.map(({ id, status }) => [id, status])).toEqual([other, foreign].map(({ id }) => [id, 'active']));
    await emulator.setSubscription('t1', 'past_due');
    const own = await stripe.subscriptions.list({ customer, price: priceId, status: 'all' });
    expect(own.data).toMatchObject([{ status: 'past_due', items: { data: [{ price: { id: priceId } }] } }]);
  });
});

test('a subscription that is created through the API is found by any of its prices, and its periods are UTC months', async () => {
  const harness = await startHarness();
  const { clock, stripe } = harness;
  const customer = await customerOf(harness);
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price: 'price_other' }, { price: priceId }] });
  for (const price of ['price_other', priceId]) {
    expect((await stripe.subscriptions.list({ customer, price })).data).toMatchObject([{ id, metadata: {} }]);
  }
  expect((await stripe.subscriptions.list({ customer, price: 'price_third' })).data).toEqual([]);
  const ends = async () =>
    (await stripe.subscriptions.list()).data[0]?.items.data.map(({ current_period_end }) => current_period_end);
  expect(await ends()).toEqual(Array(2).fill(unix('2026-12-01T00:00:00Z')));
  clock.now = at('2026-12-31T23:59:59Z');
  expect(await ends()).toEqual(Array(2).fill(unix('2027-01-01T00:00:00Z')));
  const nobody = stripe.subscriptions.create({ customer: 'cus_nobody', items: [{ price: priceId }] });
  await expect(nobody).rejects.toMatchObject({ statusCode: 400, param: 'customer' });
});
