import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { connect, startHarness } from './stripe-harness.ts';

test('a request without the secret key is 401', async () => {
  const { emulator } = await startHarness();
  const stranger = connect(emulator.port, 'sk_test_stranger');
  await expect(stranger.customers.list()).rejects.toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
});

test('an address that the emulator does not have is 404 in the shape of a Stripe error', async () => {
  const { stripe } = await startHarness();
  await expect(stripe.charges.list()).rejects.toMatchObject({
    statusCode: 404,
    rawType: 'invalid_request_error',
    message: 'Unrecognized request URL (GET: /v1/charges).',
  });
});

test('the version that a request names is echoed', async () => {
  const { stripe } = await startHarness();
  const { lastResponse } = await stripe.customers.list();
  expect(lastResponse.apiVersion).toBe('2026-10-28.endive');
  expect(lastResponse.requestId).toMatch(/^req_\w{14}$/);
  const older = await stripe.customers.list({}, { apiVersion: '2025-03-31.basil' });
  expect(older.lastResponse.apiVersion).toBe('2025-03-31.basil');
});

test('an unknown id is resource_missing: 404 in the path, 400 in a parameter', async () => {
  const { stripe } = await startHarness();
  await expect(stripe.customers.retrieve('cus_nobody')).rejects.toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
    param: 'id',
    message: "No such customer: 'cus_nobody'",
  });
  await expect(stripe.invoices.create({ customer: 'cus_nobody' })).rejects.toMatchObject({
    statusCode: 400,
    code: 'resource_missing',
    param: 'customer',
  });
});

test('an unknown or missing parameter is refused by name', async () => {
  const { stripe } = await startHarness();
  await expect(stripe.customers.create({ balance: 5 })).rejects.toMatchObject({
    statusCode: 400,
    code: 'parameter_unknown',
    param: 'balance',
  });
  await expect(stripe.products.create({ name: 'x', metadata: {} })).resolves.toMatchObject({ name: 'x' });
  await expect(stripe.rawRequest('POST', '/v1/products')).rejects.toMatchObject({
    statusCode: 400,
    code: 'parameter_missing',
    param: 'name',
  });
});

test('a customer keeps what it is given, and an update merges metadata and unsets what is empty', async () => {
  const { stripe } = await startHarness();
  const created = await stripe.customers.create({ email: 'a@example.com', metadata: { tenant_id: 't1', note: 'x' } });
  expect(created).toMatchObject({ object: 'customer', email: 'a@example.com', created: 1794744000, livemode: false });
  expect(created.id).toMatch(/^cus_\w{14}$/);
  const updated = await stripe.customers.update(created.id, { name: 'Ann', metadata: { note: '', plan: 'y' } });
  expect(updated).toMatchObject({ name: 'Ann', email: 'a@example.com', metadata: { tenant_id: 't1', plan: 'y' } });
  expect(updated.metadata).not.toHaveProperty('note');
  expect(await stripe.customers.retrieve(created.id)).toMatchObject({ name: 'Ann' });
});

test('customers are found by e-mail address', async () => {
  const { stripe } = await startHarness();
  await stripe.customers.create({ email: 'a@example.com' });
  const wanted = await stripe.customers.create({ email: 'b@example.com' });
  const { data } = await stripe.customers.list({ email: 'b@example.com' });
  expect(data.map(({ id }) => id)).toEqual([wanted.id]);
});

test('a list comes newest first in pages that the client can follow', async () => {
  const { stripe } = await startHarness();
  const names = ['one', 'two', 'three', 'four', 'five'];
  for (const name of names) {
    await stripe.customers.create({ name });
  }
  const first = await stripe.customers.list({ limit: 2 });
  expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/customers' });
  expect(first.data.map(({ name }) => name)).toEqual(['five', 'four']);
  const second = await stripe.customers.list({ limit: 3, starting_after: first.data[1]?.id ?? '' });
  expect(second.has_more).toBe(false);
  expect(second.data.map(({ name }) => name)).toEqual(['three', 'two', 'one']);
  const back = await stripe.customers.list({ limit: 2, ending_before: second.data[1]?.id ?? '' });
  expect(back.data.map(({ name }) => name)).toEqual(['four', 'three']);
  const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
  expect(all.map(({ name }) => name)).toEqual(names.toReversed());
});

test('any price id names a monthly price of $0', async () => {
  const { stripe } = await startHarness();
  const price = await stripe.prices.retrieve('price_from_configuration', { expand: ['product'] });
  expect(price).toMatchObject({ unit_amount: 0, currency: 'usd', type: 'recurring', recurring: { interval: 'month' } });
  expect(price.product).toMatchObject({ object: 'product' });
  expect(await stripe.prices.retrieve('price_from_configuration')).toMatchObject({ created: price.created });
  await expect(stripe.prices.retrieve('plan_x')).rejects.toMatchObject({ statusCode: 404 });
});

test('products and prices can be made and listed', async () => {
  const { stripe } = await startHarness();
  const product = await stripe.products.create({ name: 'Encryption' });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount_decimal: Stripe.Decimal.from('0.5'),
    recurring: { interval: 'month' },
    lookup_key: 'standard',
  });
  expect(price.unit_amount).toBeNull();
  expect(price.unit_amount_decimal?.toString()).toBe('0.5');
  expect((await stripe.prices.list({ lookup_keys: ['standard'] })).data.map(({ id }) => id)).toEqual([price.id]);
  expect((await stripe.products.list()).data.map(({ id }) => id)).toEqual([product.id]);
});

test('an id is replaced by its object where a request asks to expand it', async () => {
  const { emulator, stripe } = await startHarness();
  await emulator.setSubscription('t1', 'active');
  const { data } = await stripe.subscriptions.list({ expand: ['data.customer', 'data.items.data.price.product'] });
  expect(data[0]?.customer).toMatchObject({ object: 'customer', metadata: { tenant_id: 't1' } });
  expect(data[0]?.items.data[0]?.price.product).toMatchObject({ object: 'product' });
  await expect(stripe.subscriptions.list({ expand: ['data.colour'] })).rejects.toMatchObject({ statusCode: 400 });
});
