import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { at, startHarness, unix } from './stripe-harness.ts';

/** A customer with a draft invoice to put items on. */
async function drafted() {
  const harness = await startHarness();
  const { id: customer } = await harness.stripe.customers.create({ metadata: { tenant_id: 't1' } });
  const { id: invoice } = await harness.stripe.invoices.create({ customer });
  return { ...harness, customer, invoice };
}

test('an item keeps its amount, text, metadata and period', async () => {
  const { customer, invoice, stripe } = await drafted();
  const period = { start: unix('2026-10-01T00:00:00Z'), end: unix('2026-11-01T00:00:00Z') };
  const item = await stripe.invoiceItems.create({
    customer,
    invoice,
    amount: 9677,
    currency: 'usd',
    description: 'orders',
    metadata: { key_id: 'k1' },
    period,
  });
  expect(item.id).toMatch(/^ii_\w+$/);
  expect(await stripe.invoiceItems.retrieve(item.id)).toMatchObject({
    object: 'invoiceitem',
    amount: 9677,
    currency: 'usd',
    customer,
    description: 'orders',
    invoice,
    metadata: { key_id: 'k1' },
    period,
    quantity: 1,
  });
  const { lines, total } = await stripe.invoices.retrieve(invoice);
  expect(total).toBe(9677);
  expect(lines.data).toMatchObject([
    {
      amount: 9677,
      description: 'orders',
      metadata: { key_id: 'k1' },
      period,
      parent: { type: 'invoice_item_details' },
    },
  ]);
});

test.each([
  ['0.001', 123_499, 123],
  ['0.001', 123_500, 124],
  ['-0.5', 1, -1],
  ['0.000000000001', 500_000_000_000, 1],
  ['300', 7, 2100],
])('%s cents times %d come to %d cents, halves rounded away from zero', async (unitAmount, quantity, amount) => {
  const { invoice, stripe } = await drafted();
  const unit_amount_decimal = Stripe.Decimal.from(unitAmount);
  const item = await stripe.invoiceItems.create({ invoice, unit_amount_decimal, quantity });
  expect(item).toMatchObject({ amount, quantity });
  expect(item.pricing?.unit_amount_decimal?.toString()).toBe(unitAmount);
  const fractional = await stripe.invoiceItems.create({
    invoice,
    unit_amount_decimal,
    quantity_decimal: Stripe.Decimal.from(quantity),
  });
  expect(fractional.amount).toBe(amount);
});

test('an amount is a whole number of cents, given in one way', async () => {
  const { invoice, stripe } = await drafted();
  const bad: Stripe.InvoiceItemCreateParams[] = [
    { amount: 1.5 },
    { unit_amount_decimal: Stripe.Decimal.from('0.0000000000001') },
    { amount: 1, quantity: 2 },
    { quantity: 2 },
    {},
  ];
  for (const params of bad) {
    await expect(stripe.invoiceItems.create({ invoice, ...params })).rejects.toMatchObject({ statusCode: 400 });
  }
  expect((await stripe.invoiceItems.list({ invoice })).data).toEqual([]);
});

test('an item that is sent again with its idempotency key is on the invoice once', async () => {
  const { emulator, invoice, stripe } = await drafted();
  const params = { invoice, amount: 300, description: 'orders' };
  await stripe.invoiceItems.create(params, { idempotencyKey: 't1:2026-10:k1' });
  await stripe.invoiceItems.create(params, { idempotencyKey: 't1:2026-10:k1' });
  expect(emulator.invoices('t1')).toMatchObject([{ lines: [{ amount: 300, description: 'orders' }], total: 300 }]);
});

test('an invoice takes 250 items and no more', async () => {
  const { invoice, stripe } = await drafted();
  for (let count = 0; count < 250; count += 1) {
    await stripe.invoiceItems.create({ invoice, amount: 1 });
  }
  await expect(stripe.invoiceItems.create({ invoice, amount: 1 })).rejects.toMatchObject({
    statusCode: 400,
    param: 'invoice',
  });
  expect((await stripe.invoices.retrieve(invoice)).total).toBe(250);
});

test('an invoice shows its first ten lines; the rest is read page by page', async () => {
  const { invoice, stripe } = await drafted();
  for (let count = 1; count <= 12; count += 1) {
    await stripe.invoiceItems.create({ invoice, amount: count });
  }
  const { lines } = await stripe.invoices.retrieve(invoice);
  expect(lines.has_more).toBe(true);
  expect(lines.data.map(({ amount }) => amount)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const all = await stripe.invoices.listLineItems(invoice, { limit: 5 }).autoPagingToArray({ limit: 100 });
  expect(all.map(({ amount }) => amount)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('an item can be deleted while its invoice is a draft', async () => {
  const { invoice, stripe } = await drafted();
  const kept = await stripe.invoiceItems.create({ invoice, amount: 2 });
  const dropped = await stripe.invoiceItems.create({ invoice, amount: 1 });
  expect(await stripe.invoiceItems.del(dropped.id)).toMatchObject({ id: dropped.id, deleted: true });
  await expect(stripe.invoiceItems.retrieve(dropped.id)).rejects.toMatchObject({ statusCode: 404 });
  await stripe.invoices.finalizeInvoice(invoice);
  await expect(stripe.invoiceItems.del(kept.id)).rejects.toMatchObject({ code: 'invoice_not_editable' });
  expect((await stripe.invoices.retrieve(invoice)).total).toBe(2);
});

test('an item belongs to the invoice’s own customer', async () => {
  const { invoice, stripe } = await drafted();
  const { id: stranger } = await stripe.customers.create();
  const item = stripe.invoiceItems.create({ customer: stranger, invoice, amount: 1 });
  await expect(item).rejects.toMatchObject({ statusCode: 400, param: 'invoice' });
});

test('items without an invoice are pending, and left out of an invoice that excludes them', async () => {
  const { customer, invoice, stripe } = await drafted();
  const pending = await stripe.invoiceItems.create({ customer, amount: 5 });
  await stripe.invoiceItems.create({ invoice, amount: 6 });
  const amounts = async (params: Stripe.InvoiceItemListParams) =>
    (await stripe.invoiceItems.list(params)).data.map(({ amount }) => amount);
  expect(await amounts({ customer })).toEqual([6, 5]);
  expect(await amounts({ customer, pending: true })).toEqual([5]);
  expect(await amounts({ customer, pending: false })).toEqual([6]);
  expect(await amounts({ invoice })).toEqual([6]);
  const excluding = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'exclude' });
  expect(excluding.lines.data).toEqual([]);
  const including = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
  expect(including.total).toBe(5);
  expect((await stripe.invoiceItems.retrieve(pending.id)).invoice).toBe(including.id);
});

test('pending items go on the next invoice of the cycle, before its own line', async () => {
  const { clock, emulator, stripe } = await startHarness();
  await emulator.setSubscription('t1', 'active');
  const [customer] = (await stripe.customers.list()).data;
  await stripe.invoiceItems.create({ customer: customer?.id ?? '', amount: 7 });
  clock.now = at('2026-12-01T00:00:00Z');
  const [draft] = (await stripe.invoices.list()).data;
  await stripe.invoiceItems.create({ invoice: draft?.id ?? '', amount: 8 });
  const { lines } = await stripe.invoices.retrieve(draft?.id ?? '');
  expect(lines.data.map(({ amount }) => amount)).toEqual([7, 0, 8]);
});
