import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { at, type Harness, priceId, startHarness, unix } from './stripe-harness.ts';

const statuses = ['active', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing', 'unpaid'] as const;

function typesOf({ receiver }: Harness): string[] {
  return receiver.events.map(({ type }) => type);
}

async function customerOf(stripe: Stripe): Promise<string> {
  return (await stripe.customers.create({ metadata: { tenant_id: 't1' } })).id;
}

describe('setSubscription', () => {
  test('makes the customer and the subscription of a new tenant, and has told the service when it resolves', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    expect(typesOf(harness)).toEqual(['customer.created', 'customer.subscription.created']);
    expect(harness.receiver.events[1]?.data.object).toMatchObject({
      object: 'subscription',
      status: 'active',
      metadata: { tenant_id: 't1' },
    });
  });

  test('uses the customer that the service has made for the tenant', async () => {
    const harness = await startHarness();
    const customer = await customerOf(harness.stripe);
    await harness.emulator.setSubscription('t1', 'active');
    expect((await harness.stripe.subscriptions.list({ customer })).data).toHaveLength(1);
    expect((await harness.stripe.customers.list()).data).toHaveLength(1);
  });

  test.each(statuses)('can start a subscription that is %s and put another one there', async (status) => {
    const { emulator, stripe } = await startHarness();
    await emulator.setSubscription('t1', status);
    await emulator.setSubscription('t2', 'active');
    await emulator.setSubscription('t2', status);
    expect((await stripe.subscriptions.list({ status })).data.map(({ metadata }) => metadata)).toEqual([
      { tenant_id: 't2' },
      { tenant_id: 't1' },
    ]);
  });

  test('changes the status of an open subscription and says what it was', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    await harness.emulator.setSubscription('t1', 'past_due');
    const last = harness.receiver.events.at(-1);
    expect(last).toMatchObject({
      type: 'customer.subscription.updated',
      data: { object: { status: 'past_due' }, previous_attributes: { status: 'active' } },
    });
  });

  test.each([
    ['canceled', [{ status: 'canceled' }]],
    ['none', []],
  ] as const)('%s ends it: no open subscription is found any more', async (status, left) => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    await harness.emulator.setSubscription('t1', status);
    expect(harness.receiver.events.at(-1)).toMatchObject({
      type: 'customer.subscription.deleted',
      data: { object: { status: 'canceled', ended_at: unix('2026-11-15T12:00:00Z') } },
    });
    expect((await harness.stripe.subscriptions.list()).data).toEqual([]);
    expect((await harness.stripe.subscriptions.list({ status: 'all' })).data).toMatchObject(left);
  });

  test('none leaves a tenant who has nothing with nothing', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'none');
    expect(typesOf(harness)).toEqual([]);
    expect((await harness.stripe.customers.list()).data).toEqual([]);
  });

  test('starts a new subscription after one that has ended', async () => {
    const harness = await startHarness();
    await harness.emulator.setSubscription('t1', 'active');
    await harness.emulator.setSubscription('t1', 'canceled');
    await harness.emulator.setSubscription('t1', 'active');
    expect(typesOf(harness).at(-1)).toBe('customer.subscription.created');
    const { data } = await harness.stripe.subscriptions.list({ status: 'all' });
    expect(data.map(({ status }) => status)).toEqual(['active', 'canceled']);
    expect(new Set(data.map(({ customer }) => customer)).size).toBe(1);
  });

  test('is about the price that the service has, of the customer that stands for the tenant: what else there is stays', async () => {
    const { emulator, stripe } = await startHarness();
    const stranger = await stripe.customers.create({ name: 'stranger' });
    const metadata = { tenant_id: 't1' };
    const foreign = await stripe.subscriptions.create({
      ...{ customer: stranger.id, items: [{ price: priceId }], metadata },
    });
    const customer = await customerOf(stripe);
    const other = await stripe.subscriptions.create({ customer, items: [{ price: 'price_other' }], metadata });
    for (const status of ['active', 'unpaid', 'none'] as const) await emulator.setSubscription('t1', status);
    for (const { id } of [foreign, other]) {
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
    }
    await emulator.setSubscription('t1', 'past_due');
    const own = await stripe.subscriptions.list({ customer, price: priceId });
    expect(own.data).toMatchObject([{ status: 'past_due', items: { data: [{ price: { id: priceId } }] } }]);
  });
});

describe('subscriptions', () => {
  test('are made, read, updated and canceled through the API, with an event each', async () => {
    const harness = await startHarness();
    const { stripe } = harness;
    const customer = await customerOf(stripe);
    const created = await stripe.subscriptions.create({
      customer,
      items: [{ price: 'price_monthly' }],
      metadata: { tenant_id: 't1' },
      billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
      proration_behavior: 'none',
    });
    expect(created).toMatchObject({ status: 'active', customer, billing_cycle_anchor: unix('2026-12-01T00:00:00Z') });
    expect(created.items.data[0]).toMatchObject({
      current_period_start: unix('2026-11-15T12:00:00Z'),
      current_period_end: unix('2026-12-01T00:00:00Z'),
      price: { id: 'price_monthly' },
    });
    await stripe.subscriptions.update(created.id, { metadata: { note: 'x' } });
    const read = await stripe.subscriptions.retrieve(created.id);
    expect(read.metadata).toEqual({ tenant_id: 't1', note: 'x' });
    expect(await stripe.subscriptions.cancel(created.id)).toMatchObject({ status: 'canceled' });
    await expect(stripe.subscriptions.cancel(created.id)).rejects.toMatchObject({ statusCode: 404 });
    await harness.emulator.advance();
    expect(typesOf(harness)).toEqual([
      'customer.created',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ]);
  });

  test('are listed by customer and status; ended ones only when asked for', async () => {
    const { emulator, stripe } = await startHarness();
    await emulator.setSubscription('t1', 'active');
    await emulator.setSubscription('t2', 'unpaid');
    await emulator.setSubscription('t3', 'canceled');
    const tenants = async (params: Stripe.SubscriptionListParams) =>
      (await stripe.subscriptions.list(params)).data.map(({ metadata }) => metadata.tenant_id);
    const [first] = (await stripe.customers.list()).data.slice(-1);
    expect(await tenants({})).toEqual(['t2', 't1']);
    expect(await tenants({ status: 'all' })).toEqual(['t3', 't2', 't1']);
    expect(await tenants({ status: 'ended' })).toEqual(['t3']);
    expect(await tenants({ status: 'unpaid' })).toEqual(['t2']);
    expect(await tenants({ customer: first?.id ?? '' })).toEqual(['t1']);
  });

  test('without an anchor are billed on the day they began, or on the last day of a shorter month', async () => {
    const { clock, stripe } = await startHarness();
    clock.now = at('2027-01-31T08:00:00Z');
    const customer = await customerOf(stripe);
    const { id } = await stripe.subscriptions.create({ customer, items: [{ price: 'price_monthly' }] });
    const periodEnd = async () => (await stripe.subscriptions.retrieve(id)).items.data[0]?.current_period_end;
    expect(await periodEnd()).toBe(unix('2027-02-28T08:00:00Z'));
    clock.now = at('2027-02-28T08:00:00Z');
    expect(await periodEnd()).toBe(unix('2027-03-31T08:00:00Z'));
  });

  test('that are to end with their period are canceled then, without an invoice', async () => {
    const { clock, emulator, receiver, stripe } = await startHarness();
    await emulator.setSubscription('t1', 'active');
    const [subscription] = (await stripe.subscriptions.list()).data;
    const id = subscription?.id ?? '';
    const updated = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    expect(updated).toMatchObject({ status: 'active', cancel_at: unix('2026-12-01T00:00:00Z') });
    clock.now = at('2026-12-01T00:00:00Z');
    await emulator.advance();
    expect(receiver.events.at(-1)).toMatchObject({ type: 'customer.subscription.deleted' });
    expect(emulator.invoices('t1')).toEqual([]);
  });
});
