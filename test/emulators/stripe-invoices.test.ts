import { describe, expect, test } from 'vitest';
import { at, type Harness, startHarness, unix } from './stripe-harness.ts';

const october = '2026-10-20T09:00:00Z';
const november = '2026-11-01T00:00:05Z';

/** A tenant with a subscription since October. */
async function subscribed(status: 'active' | 'past_due' | 'trialing' | 'unpaid' | 'paused' = 'active') {
  const harness = await startHarness({ clock: { now: at(october) } });
  await harness.emulator.setSubscription('t1', status);
  harness.receiver.events.length = 0;
  return harness;
}

/** The same tenant at the start of November. */
async function atMonthStart(status: 'active' | 'past_due' | 'trialing' = 'active') {
  const harness = await subscribed(status);
  harness.clock.now = at(november);
  await harness.emulator.advance();
  const [draft] = (await harness.stripe.invoices.list({ status: 'draft' })).data;
  return { ...harness, draft: draft?.id ?? '' };
}

function typesOf({ receiver }: Pick<Harness, 'receiver'>): string[] {
  return receiver.events.map(({ type }) => type);
}

describe('a new month', () => {
  test.each(['active', 'trialing', 'past_due'] as const)('opens a draft for an %s subscription', async (status) => {
    const { clock, emulator, receiver, stripe } = await subscribed(status);
    clock.now = at(november);
    await emulator.advance();
    expect(typesOf({ receiver })).toEqual(['invoice.created']);
    const { data } = await stripe.invoices.list();
    const [subscription] = (await stripe.subscriptions.list()).data;
    expect(data).toMatchObject([
      {
        billing_reason: 'subscription_cycle',
        status: 'draft',
        auto_advance: true,
        created: unix(november),
        period_start: unix(october),
        period_end: unix('2026-11-01T00:00:00Z'),
        automatically_finalizes_at: unix('2026-11-01T01:00:05Z'),
        customer: subscription?.customer,
        parent: { subscription_details: { subscription: subscription?.id, metadata: { tenant_id: 't1' } } },
        total: 0,
      },
    ]);
    expect(data[0]?.lines.data).toMatchObject([
      { amount: 0, period: { start: unix('2026-11-01T00:00:00Z'), end: unix('2026-12-01T00:00:00Z') } },
    ]);
    expect(subscription?.latest_invoice).toBe(data[0]?.id);
  });

  test.each(['unpaid', 'paused'] as const)(
    'opens none for one that is %s, nor when it is active again',
    async (status) => {
      const { clock, emulator } = await subscribed(status);
      clock.now = at('2027-02-01T00:00:00Z');
      await emulator.advance();
      await emulator.setSubscription('t1', 'active');
      expect(emulator.invoices('t1')).toEqual([]);
    },
  );

  test('opens nothing before it has begun, and nothing twice', async () => {
    const { clock, emulator } = await subscribed();
    clock.now = at('2026-10-31T23:59:59Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toEqual([]);
    clock.now = at('2026-11-01T00:00:00Z');
    await emulator.advance();
    await emulator.advance();
    expect(emulator.invoices('t1')).toHaveLength(1);
  });

  test('opens a draft for each month that has passed', async () => {
    const { clock, emulator } = await subscribed();
    clock.now = at('2027-01-10T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1').map(({ period, status }) => [period, status])).toEqual([
      ['2026-10', 'draft'],
      ['2026-11', 'draft'],
      ['2026-12', 'draft'],
    ]);
  });

  test('is noticed by any request to the API', async () => {
    const { clock, stripe } = await subscribed();
    clock.now = at(november);
    expect((await stripe.invoices.list({ status: 'draft' })).data).toHaveLength(1);
  });

  test('closes nothing when the clock goes back', async () => {
    const { clock, emulator } = await atMonthStart();
    clock.now = at(october);
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
  });
});

describe('a draft', () => {
  test('takes items until it is finalized by itself after an hour, and is then paid', async () => {
    const { clock, draft, emulator, receiver, stripe } = await atMonthStart();
    const [invoice] = (await stripe.invoices.list({ status: 'draft' })).data;
    await stripe.invoiceItems.create({
      customer: String(invoice?.customer),
      invoice: draft,
      amount: 1000,
      currency: 'usd',
      description: 'orders: software key, 12 of 31 days',
    });
    clock.now = at('2026-11-01T01:00:04Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
    clock.now = at('2026-11-01T01:00:05Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toEqual([
      {
        id: draft,
        period: '2026-10',
        status: 'paid',
        lines: [{ amount: 1000, description: 'orders: software key, 12 of 31 days' }],
        total: 1000,
      },
    ]);
    expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
    expect(await stripe.invoices.retrieve(draft)).toMatchObject({
      amount_due: 1000,
      amount_paid: 1000,
      amount_remaining: 0,
      automatically_finalizes_at: null,
      number: expect.stringMatching(/^[0-9A-Z]{8}-0001$/),
      status_transitions: { finalized_at: unix('2026-11-01T01:00:05Z'), paid_at: unix('2026-11-01T01:00:05Z') },
    });
  });

  test.each(['past_due', 'trialing'] as const)('of a %s subscription stays open', async (status) => {
    const { clock, draft, emulator, receiver, stripe } = await atMonthStart(status);
    await stripe.invoiceItems.create({ invoice: draft, amount: 500 });
    clock.now = at('2026-11-02T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'open', total: 500 }]);
    expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.payment_failed']);
    expect(await stripe.invoices.pay(draft)).toMatchObject({ status: 'paid', amount_paid: 500 });
    await expect(stripe.invoices.pay(draft)).rejects.toMatchObject({ statusCode: 400 });
  });

  test('that asks for nothing is paid at once, whatever the subscription is', async () => {
    const { draft, stripe } = await atMonthStart('past_due');
    expect(await stripe.invoices.finalizeInvoice(draft)).toMatchObject({ status: 'paid', amount_due: 0 });
  });

  test('can be held open until a later time', async () => {
    const { clock, draft, emulator, stripe } = await atMonthStart();
    const finalizesAt = unix('2026-11-01T06:00:00Z');
    const held = await stripe.invoices.update(draft, { automatically_finalizes_at: finalizesAt });
    expect(held.automatically_finalizes_at).toBe(finalizesAt);
    clock.now = at('2026-11-01T05:59:59Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
    clock.now = at('2026-11-01T06:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'paid' }]);
  });

  test('cannot be scheduled for a time that has passed', async () => {
    const { draft, stripe } = await atMonthStart();
    const past = stripe.invoices.update(draft, { automatically_finalizes_at: unix(november) });
    await expect(past).rejects.toMatchObject({ statusCode: 400, param: 'automatically_finalizes_at' });
  });

  test('is left alone without auto_advance', async () => {
    const { clock, draft, emulator, stripe } = await atMonthStart();
    const kept = await stripe.invoices.update(draft, { auto_advance: false });
    expect(kept.automatically_finalizes_at).toBeNull();
    clock.now = at('2026-11-20T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
  });

  test('that has been finalized takes no change but metadata', async () => {
    const { draft, stripe } = await atMonthStart();
    await stripe.invoices.finalizeInvoice(draft);
    const refused = { statusCode: 400, code: 'invoice_not_editable' };
    await expect(stripe.invoices.finalizeInvoice(draft)).rejects.toMatchObject(refused);
    await expect(stripe.invoices.update(draft, { description: 'x' })).rejects.toMatchObject(refused);
    await expect(stripe.invoiceItems.create({ invoice: draft, amount: 1 })).rejects.toMatchObject(refused);
    const updated = await stripe.invoices.update(draft, { metadata: { closed: 'yes' } });
    expect(updated.metadata).toEqual({ closed: 'yes' });
  });
});

describe('an invoice of the service’s own', () => {
  test('is made, filled and finalized, for the month that its metadata names', async () => {
    const { emulator, receiver, stripe } = await subscribed();
    const [customer] = (await stripe.customers.list()).data;
    const invoice = await stripe.invoices.create({
      customer: customer?.id ?? '',
      auto_advance: true,
      pending_invoice_items_behavior: 'exclude',
      metadata: { tenant_id: 't1', period: '2026-08' },
    });
    expect(invoice).toMatchObject({ status: 'draft', billing_reason: 'manual', parent: null });
    await stripe.invoiceItems.create({ customer: customer?.id ?? '', invoice: invoice.id, amount: 300 });
    expect(await stripe.invoices.finalizeInvoice(invoice.id)).toMatchObject({ status: 'paid', total: 300 });
    expect(emulator.invoices('t1')).toEqual([
      { id: invoice.id, period: '2026-08', status: 'paid', lines: [{ amount: 300, description: null }], total: 300 },
    ]);
    await emulator.advance();
    expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
  });

  test('pays for the month before, where nothing names one', async () => {
    const { emulator, stripe } = await subscribed();
    const [customer] = (await stripe.customers.list()).data;
    await stripe.invoices.create({ customer: customer?.id ?? '' });
    expect(emulator.invoices('t1')).toMatchObject([{ period: '2026-09', status: 'draft', lines: [] }]);
  });

  test('is not finalized by itself unless auto_advance is asked for', async () => {
    const { clock, emulator, stripe } = await subscribed();
    const [customer] = (await stripe.customers.list()).data;
    const kept = await stripe.invoices.create({ customer: customer?.id ?? '' });
    const advanced = await stripe.invoices.create({ customer: customer?.id ?? '', auto_advance: true });
    expect(kept.automatically_finalizes_at).toBeNull();
    expect(advanced.automatically_finalizes_at).toBe(unix('2026-10-20T10:00:00Z'));
    clock.now = at('2026-10-20T10:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1').map(({ status }) => status)).toEqual(['draft', 'paid']);
  });

  test('for a customer whose subscription has ended stays open', async () => {
    const { emulator, stripe } = await subscribed();
    await emulator.setSubscription('t1', 'none');
    const [customer] = (await stripe.customers.list()).data;
    const { id } = await stripe.invoices.create({ customer: customer?.id ?? '', auto_advance: true });
    await stripe.invoiceItems.create({ invoice: id, amount: 1 });
    expect(await stripe.invoices.finalizeInvoice(id)).toMatchObject({ status: 'open', amount_remaining: 1 });
  });
});

describe('lists', () => {
  test('of invoices are held to a customer, a subscription, a status and a time', async () => {
    const { clock, emulator, stripe } = await subscribed();
    clock.now = at('2026-10-25T00:00:00Z');
    await emulator.setSubscription('t2', 'active');
    clock.now = at(november);
    await emulator.advance();
    const [second, first] = (await stripe.subscriptions.list()).data;
    const idsOf = async (params: Parameters<typeof stripe.invoices.list>[0]) =>
      (await stripe.invoices.list(params)).data.map(({ id }) => id);
    const [a, b] = [emulator.invoices('t1')[0]?.id, emulator.invoices('t2')[0]?.id];
    expect(await idsOf({})).toEqual([b, a]);
    expect(await idsOf({ customer: String(first?.customer) })).toEqual([a]);
    expect(await idsOf({ subscription: second?.id ?? '' })).toEqual([b]);
    expect(await idsOf({ status: 'paid' })).toEqual([]);
    expect(await idsOf({ created: { gte: unix(november) } })).toEqual([b, a]);
    expect(await idsOf({ created: { gt: unix(november) } })).toEqual([]);
  });

  test('of a tenant’s invoices have the oldest first and nobody else’s', async () => {
    const { clock, emulator } = await subscribed();
    await emulator.setSubscription('t2', 'active');
    clock.now = at('2026-12-01T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1').map(({ period }) => period)).toEqual(['2026-10', '2026-11']);
    expect(emulator.invoices('t3')).toEqual([]);
  });
});
