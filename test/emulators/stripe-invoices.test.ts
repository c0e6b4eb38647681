import { describe, expect, test } from 'vitest';
import { at, customerOf, type Harness, SEPARATE_INVOICE, startHarness, unix } from './stripe-harness.ts';

const october = '2026-10-20T09:00:00Z';
const november = '2026-11-01T00:00:05Z';

/** Starts an emulator in which the tenant `t1` has had a subscription since October. */
async function startSubscribed(status: 'active' | 'past_due' | 'trialing' | 'unpaid' | 'paused' = 'active') {
  const harness = await startHarness({ clock: { now: at(october) } });
  await harness.emulator.setSubscription('t1', status);
  harness.receiver.events.length = 0;
  return { ...harness, customer: await customerOf(harness) };
}

/** Like `startSubscribed`, but at the start of November. Also returns `addItem`, which adds to the draft invoice. */
async function startAtMonthStart(status: 'active' | 'past_due' | 'trialing' = 'active') {
  const harness = await startSubscribed(status);
  harness.clock.now = at(november);
  await harness.emulator.advance();
  const [draft] = (await harness.stripe.invoices.list()).data;
  const invoice = draft?.id ?? '';
  const { customer, stripe } = harness;
  const addItem = (amount: number, description = 'orders') =>
    stripe.invoiceItems.create({ customer, invoice, amount, currency: 'usd', description });
  return { ...harness, draft: invoice, addItem };
}

function typesOf({ receiver }: Pick<Harness, 'receiver'>): string[] {
  return receiver.events.map(({ type }) => type);
}

describe('a new month', () => {
  test.each(['active', 'trialing', 'past_due'] as const)(
    'a new month opens a draft invoice for a subscription that is %s',
    async (status) => {
      const { clock, customer, emulator, receiver, stripe } = await startSubscribed(status);
      clock.now = at(november);
      await emulator.advance();
      expect(typesOf({ receiver })).toEqual(['invoice.created']);
      expect((await stripe.invoices.list()).data).toMatchObject([
        {
          billing_reason: 'subscription_cycle',
          status: 'draft',
          auto_advance: true,
          created: unix(november),
          period_start: unix(october),
          period_end: unix('2026-11-01T00:00:00Z'),
          automatically_finalizes_at: unix('2026-11-01T01:00:05Z'),
          customer,
          total: 0,
        },
      ]);
    },
  );

  test.each(['unpaid', 'paused'] as const)(
    'a new month opens no draft invoice for a subscription that is %s, even if the subscription becomes active later',
    async (status) => {
      const { clock, emulator } = await startSubscribed(status);
      clock.now = at('2027-02-01T00:00:00Z');
      await emulator.advance();
      await emulator.setSubscription('t1', 'active');
      expect(emulator.invoices('t1')).toEqual([]);
    },
  );

  test('a month’s draft invoice does not open before the month starts, and opens only once', async () => {
    const { clock, emulator } = await startSubscribed();
    clock.now = at('2026-10-31T23:59:59Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toEqual([]);
    clock.now = at('2026-11-01T00:00:00Z');
    await emulator.advance();
    await emulator.advance();
    expect(emulator.invoices('t1')).toHaveLength(1);
  });

  test('a draft invoice opens for each month that has passed, across the end of a year', async () => {
    const { clock, emulator } = await startSubscribed();
    clock.now = at('2027-02-10T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1').map(({ period, status }) => [period, status])).toEqual([
      ['2026-10', 'draft'],
      ['2026-11', 'draft'],
      ['2026-12', 'draft'],
      ['2027-01', 'draft'],
    ]);
  });

  test('any request to the API opens the draft invoice of a new month', async () => {
    const { clock, stripe } = await startSubscribed();
    clock.now = at(november);
    expect((await stripe.invoices.list()).data).toHaveLength(1);
  });

  test('setting the clock back finalizes no draft invoice', async () => {
    const { clock, emulator } = await startAtMonthStart();
    clock.now = at(october);
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
  });
});

describe('a draft invoice', () => {
  test('a draft invoice accepts items for an hour, and is then finalized and paid automatically', async () => {
    const { addItem, clock, draft, emulator, receiver, stripe } = await startAtMonthStart();
    await addItem(1000, 'software keys');
    clock.now = at('2026-11-01T01:00:04Z');
    await emulator.advance();
    await addItem(300, 'wrapped keys');
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
    clock.now = at('2026-11-01T01:00:05Z');
    await emulator.advance();
    const lines = [
      { amount: 1000, description: 'software keys' },
      { amount: 300, description: 'wrapped keys' },
    ];
    expect(emulator.invoices('t1')).toEqual([{ id: draft, period: '2026-10', status: 'paid', lines, total: 1300 }]);
    expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
    expect(await stripe.invoices.retrieve(draft)).toMatchObject({ total: 1300, automatically_finalizes_at: null });
  });

  test.each(['past_due', 'trialing'] as const)('if a subscription is %s, its invoice stays open', async (status) => {
    const { addItem, clock, emulator, receiver } = await startAtMonthStart(status);
    await addItem(500);
    clock.now = at('2026-11-02T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'open', total: 500 }]);
    expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.payment_failed']);
  });

  test('a draft invoice without items is paid as soon as it is finalized, whatever the status of the subscription', async () => {
    const { draft, stripe } = await startAtMonthStart('past_due');
    expect(await stripe.invoices.finalizeInvoice(draft)).toMatchObject({ status: 'paid', total: 0 });
  });

  test('a draft invoice whose auto_advance the service has turned off stays a draft until the service finalizes it', async () => {
    const { clock, draft, emulator, stripe } = await startAtMonthStart();
    await stripe.invoices.update(draft, { metadata: { note: 'x' } });
    const kept = await stripe.invoices.update(draft, { auto_advance: false, metadata: { statement: 's' } });
    expect(kept).toMatchObject({ automatically_finalizes_at: null, metadata: { note: 'x', statement: 's' } });
    clock.now = at('2026-11-20T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
    expect(await stripe.invoices.finalizeInvoice(draft, { auto_advance: true })).toMatchObject({ status: 'paid' });
  });

  test('a finalized invoice accepts no items and cannot be finalized again', async () => {
    const { addItem, draft, stripe } = await startAtMonthStart();
    await stripe.invoices.finalizeInvoice(draft);
    const refused = { statusCode: 400, code: 'invoice_not_editable' };
    await expect(stripe.invoices.finalizeInvoice(draft)).rejects.toMatchObject(refused);
    await expect(addItem(1)).rejects.toMatchObject(refused);
    expect((await stripe.invoices.retrieve(draft)).total).toBe(0);
  });
});

describe('an invoice item', () => {
  test('an invoice item keeps its amount, text and metadata, and is listed by its invoice', async () => {
    const { addItem, customer, draft, stripe } = await startAtMonthStart();
    await addItem(1);
    const metadata = { statement: 's', tier: 'hsm' };
    const item = { customer, invoice: draft, amount: 9677, currency: 'usd', description: 'orders', metadata };
    await stripe.invoiceItems.create(item);
    const other = await stripe.invoices.create({ customer, ...SEPARATE_INVOICE });
    const { data } = await stripe.invoiceItems.list({ invoice: draft });
    expect(data).toMatchObject([{ object: 'invoiceitem', ...item }, { amount: 1 }]);
    expect((await stripe.invoiceItems.list({ invoice: other.id })).data).toEqual([]);
  });

  test('an invoice item that is sent again with its idempotency key is on the invoice once', async () => {
    const { customer, draft, emulator, stripe } = await startAtMonthStart();
    const params = { customer, invoice: draft, amount: 300, currency: 'usd', description: 'orders' };
    await stripe.invoiceItems.create(params, { idempotencyKey: 't1:2026-10:hsm' });
    await stripe.invoiceItems.create(params, { idempotencyKey: 't1:2026-10:hsm' });
    expect(emulator.invoices('t1')).toMatchObject([{ lines: [{ amount: 300, description: 'orders' }], total: 300 }]);
  });

  test('an invoice item needs a whole number of cents and an invoice of the same customer', async () => {
    const { addItem, draft, emulator, stripe } = await startAtMonthStart();
    await expect(addItem(1.5)).rejects.toMatchObject({ statusCode: 400, param: 'amount' });
    const { id: customer } = await stripe.customers.create();
    const foreign = stripe.invoiceItems.create({ customer, invoice: draft, amount: 1, currency: 'usd' });
    await expect(foreign).rejects.toMatchObject({ statusCode: 400, param: 'invoice' });
    expect(emulator.invoices('t1')).toMatchObject([{ lines: [], total: 0 }]);
  });
});

describe('a separate invoice', () => {
  test('a separate invoice is for the month in its metadata, and is finalized only on request', async () => {
    const { clock, customer, emulator, receiver, stripe } = await startSubscribed();
    const metadata = { period: '2026-08' };
    const invoice = await stripe.invoices.create({ customer, ...SEPARATE_INVOICE, description: 'August', metadata });
    expect(invoice).toMatchObject({ status: 'draft', billing_reason: 'manual', description: 'August', metadata });
    await stripe.invoiceItems.create({ customer, invoice: invoice.id, amount: 300, currency: 'usd' });
    clock.now = at('2026-10-21T09:00:00Z');
    await emulator.advance();
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: 'draft', total: 300 });
    await stripe.invoices.finalizeInvoice(invoice.id, { auto_advance: true });
    expect(emulator.invoices('t1')).toEqual([
      { id: invoice.id, period: '2026-08', status: 'paid', lines: [{ amount: 300, description: null }], total: 300 },
    ]);
    await emulator.advance();
    expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
  });

  test('a separate invoice for a customer whose subscription has ended stays open', async () => {
    const { customer, emulator, stripe } = await startSubscribed();
    await emulator.setSubscription('t1', 'none');
    const { id } = await stripe.invoices.create({ customer, ...SEPARATE_INVOICE });
    await stripe.invoiceItems.create({ customer, invoice: id, amount: 1, currency: 'usd' });
    expect(await stripe.invoices.finalizeInvoice(id, { auto_advance: true })).toMatchObject({ status: 'open' });
  });
});

describe('lists', () => {
  test('invoices can be listed by customer and by time', async () => {
    const { clock, customer, emulator, stripe } = await startSubscribed();
    clock.now = at('2026-10-25T00:00:00Z');
    await emulator.setSubscription('t2', 'active');
    clock.now = at(november);
    await emulator.advance();
    const idsOf = async (params: Parameters<typeof stripe.invoices.list>[0]) =>
      (await stripe.invoices.list(params)).data.map(({ id }) => id);
    const [a, b] = [emulator.invoices('t1')[0]?.id, emulator.invoices('t2')[0]?.id];
    expect(await idsOf({})).toEqual([b, a]);
    expect(await idsOf({ customer })).toEqual([a]);
    expect(await idsOf({ created: { gte: unix(november) } })).toEqual([b, a]);
    expect(await idsOf({ created: { gte: unix(november) + 1 } })).toEqual([]);
  });

  test('a tenant’s invoices are listed oldest first, without those of other tenants', async () => {
    const { clock, emulator } = await startSubscribed();
    await emulator.setSubscription('t2', 'active');
    clock.now = at('2026-12-01T00:00:00Z');
    await emulator.advance();
    expect(emulator.invoices('t1').map(({ period }) => period)).toEqual(['2026-10', '2026-11']);
    expect(emulator.invoices('t3')).toEqual([]);
  });
});
