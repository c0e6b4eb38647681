import { join } from 'node:path';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { at, connect, startHarness } from './stripe-harness.ts';

describe('a request', () => {
  test('a request without the secret key gets 401', async () => {
    const { emulator } = await startHarness();
    const wrongKeyClient = connect(emulator.port, 'sk_test_wrong');
    await expect(wrongKeyClient.customers.list()).rejects.toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
  });

  test('a request to an unknown path gets 404 with a Stripe error', async () => {
    const { stripe } = await startHarness();
    await expect(stripe.charges.list()).rejects.toMatchObject({
      statusCode: 404,
      rawType: 'invalid_request_error',
      message: 'Unrecognized request URL (GET: /v1/charges).',
      requestId: expect.stringMatching(/^req_\w+$/),
    });
  });

  test('a request with an unknown id gets the error resource_missing, with 404 for an id in the path and 400 for a parameter', async () => {
    const { stripe } = await startHarness();
    await expect(stripe.customers.retrieve('cus_nobody')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      param: 'id',
      message: "No such customer: 'cus_nobody'",
    });
    const portal = stripe.billingPortal.sessions.create({ customer: 'cus_nobody', return_url: 'https://a.example' });
    await expect(portal).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'customer' });
    await expect(stripe.customers.list({ starting_after: 'cus_nobody' })).rejects.toMatchObject({
      statusCode: 400,
      param: 'starting_after',
    });
  });

  test('a request with an unknown, missing or invalid parameter is refused with the parameter’s name', async () => {
    const { stripe } = await startHarness();
    await expect(stripe.customers.create({ balance: 5 })).rejects.toMatchObject({
      statusCode: 400,
      code: 'parameter_unknown',
      param: 'balance',
    });
    await expect(stripe.rawRequest('POST', '/v1/billing_portal/sessions')).rejects.toMatchObject({
      statusCode: 400,
      code: 'parameter_missing',
      param: 'customer',
    });
    await expect(stripe.invoices.list({ created: { gte: -1 } })).rejects.toMatchObject({
      statusCode: 400,
      param: 'created[gte]',
    });
  });
});

test('a customer is read back as it was created', async () => {
  const { stripe } = await startHarness();
  const made = await stripe.customers.create({ metadata: { tenant_id: 't1' } });
  expect(made).toMatchObject({ object: 'customer', created: 1794744000, metadata: { tenant_id: 't1' } });
  expect(await stripe.customers.retrieve(made.id)).toMatchObject({ id: made.id, metadata: { tenant_id: 't1' } });
});

test('a list has the newest object first, in pages that Stripe’s library can follow', async () => {
  const { stripe } = await startHarness();
  const names = ['one', 'two', 'three', 'four', 'five'];
  for (const name of names) await stripe.customers.create({ metadata: { name } });
  const first = await stripe.customers.list({ limit: 2 });
  expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/customers' });
  expect(first.data.map(({ metadata }) => metadata.name)).toEqual(['five', 'four']);
  const second = await stripe.customers.list({ limit: 3, starting_after: first.data[1]?.id ?? '' });
  expect(second.has_more).toBe(false);
  expect(second.data.map(({ metadata }) => metadata.name)).toEqual(['three', 'two', 'one']);
  const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
  expect(all.map(({ metadata }) => metadata.name)).toEqual(names.toReversed());
});

describe('an idempotency key', () => {
  const same = { metadata: { tenant_id: 't1' } };
  const options = { idempotencyKey: 'key-1' };

  test('a request that is repeated with its idempotency key gets the first answer', async () => {
    const { stripe } = await startHarness();
    const first = await stripe.customers.create(same, options);
    const again = await stripe.customers.create(same, options);
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });

  test('a different request with a used idempotency key gets an idempotency error', async () => {
    const { stripe } = await startHarness();
    await stripe.customers.create(same, options);
    const other = stripe.customers.create({}, options);
    await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    await expect(other).rejects.toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
  });

  test('the idempotency key of a refused request can be used again', async () => {
    const { stripe } = await startHarness();
    await expect(stripe.customers.create({ balance: 5 }, options)).rejects.toMatchObject({ statusCode: 400 });
    await expect(stripe.customers.create({}, options)).resolves.toMatchObject({ object: 'customer' });
  });

  test('an idempotency key survives a restart', async () => {
    const file = join(temporaryFolder('stripe'), 'stripe.json');
    const before = await startHarness({ file });
    const first = await before.stripe.customers.create(same, options);
    await before.emulator.stop();
    const after = await startHarness({ file });
    expect((await after.stripe.customers.create(same, options)).id).toBe(first.id);
  });

  test('an idempotency key is forgotten after 24 hours', async () => {
    const { clock, stripe } = await startHarness();
    const first = await stripe.customers.create(same, options);
    clock.now = at('2026-11-16T12:00:00Z');
    expect((await stripe.customers.create(same, options)).id).toBe(first.id);
    clock.now = at('2026-11-16T12:00:01Z');
    expect((await stripe.customers.create(same, options)).id).not.toBe(first.id);
  });
});
