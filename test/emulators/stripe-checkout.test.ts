import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { at, type Harness, startHarness, unix } from './stripe-harness.ts';

const urls = {
  success_url: 'https://console.example/billing?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://console.example/billing?a=1&b=2',
};

/** A session as the service opens it. */
async function opened(harness: Harness, more: Stripe.Checkout.SessionCreateParams = {}) {
  const { id: customer } = await harness.stripe.customers.create({ metadata: { tenant_id: 't1' } });
  const session = await harness.stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    client_reference_id: 't1',
    line_items: [{ price: 'price_from_configuration', quantity: 1 }],
    subscription_data: {
      metadata: { tenant_id: 't1' },
      billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
      proration_behavior: 'none',
    },
    ...urls,
    ...more,
  });
  return { customer, session, url: session.url ?? '' };
}

function press(url: string): Promise<Response> {
  return fetch(url, { method: 'POST', redirect: 'manual' });
}

test('a session is open at an address of the emulator for 24 hours', async () => {
  const harness = await startHarness();
  const { customer, session } = await opened(harness);
  expect(session.id).toMatch(/^cs_test_\w{58}$/);
  expect(session).toMatchObject({
    object: 'checkout.session',
    mode: 'subscription',
    status: 'open',
    payment_status: 'unpaid',
    customer,
    client_reference_id: 't1',
    subscription: null,
    expires_at: unix('2026-11-16T12:00:00Z'),
    url: `http://127.0.0.1:${harness.emulator.port}/c/pay/${session.id}`,
  });
  const items = await harness.stripe.checkout.sessions.listLineItems(session.id);
  expect(items.data).toMatchObject([{ price: { id: 'price_from_configuration' }, quantity: 1 }]);
});

test('its page has a button to pay and the way back', async () => {
  const { url } = await opened(await startHarness());
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).toContain('<form method="post"><button type="submit">Pay</button></form>');
  expect(html).toContain('href="https://console.example/billing?a=1&#38;b=2"');
});

test('paying starts the subscription, tells the service and then sends the person on', async () => {
  const harness = await startHarness();
  const { receiver, stripe } = harness;
  const { customer, session, url } = await opened(harness);
  const response = await press(url);
  expect(receiver.events.map(({ type }) => type)).toEqual([
    'customer.created',
    'customer.subscription.created',
    'checkout.session.completed',
  ]);
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe(`https://console.example/billing?session=${session.id}`);
  const [subscription] = (await stripe.subscriptions.list({ customer })).data;
  expect(subscription).toMatchObject({
    status: 'active',
    metadata: { tenant_id: 't1' },
    billing_cycle_anchor: unix('2026-12-01T00:00:00Z'),
    billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0, month: null },
  });
  expect(receiver.events.at(-1)?.data.object).toMatchObject({
    client_reference_id: 't1',
    status: 'complete',
    subscription: subscription?.id,
  });
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'complete', url: null });
});

test('paying twice starts one subscription', async () => {
  const harness = await startHarness();
  const { customer, url } = await opened(harness);
  await press(url);
  expect((await press(url)).status).toBe(303);
  expect((await harness.stripe.subscriptions.list({ customer })).data).toHaveLength(1);
});

test('without a customer, paying makes one', async () => {
  const { stripe } = await startHarness();
  const { url } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'a@example.com',
    line_items: [{ price: 'price_x' }],
    subscription_data: { metadata: { tenant_id: 't9' } },
    ...urls,
  });
  await press(url ?? '');
  const [made, ...more] = (await stripe.customers.list({ email: 'a@example.com' })).data;
  expect(more).toEqual([]);
  expect((await stripe.subscriptions.list()).data).toMatchObject([{ status: 'active', customer: made?.id }]);
});

test('a session that nobody pays expires and can be paid no more', async () => {
  const harness = await startHarness();
  const { session, url } = await opened(harness);
  harness.clock.now = at('2026-11-16T12:00:00Z');
  await harness.emulator.advance();
  expect(harness.receiver.events.at(-1)?.type).toBe('checkout.session.expired');
  expect(await (await press(url)).text()).toContain('This session is expired.');
  expect((await harness.stripe.subscriptions.list()).data).toEqual([]);
  await expect(harness.stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({ statusCode: 400 });
});

test('the service can expire a session', async () => {
  const harness = await startHarness();
  const { customer, session } = await opened(harness);
  expect(await harness.stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
  expect((await harness.stripe.checkout.sessions.list({ customer, status: 'open' })).data).toEqual([]);
});

test('other modes and contradictory parameters are refused', async () => {
  const harness = await startHarness();
  await expect(opened(harness, { mode: 'payment' })).rejects.toMatchObject({ statusCode: 400, param: 'mode' });
  await expect(opened(harness, { customer_email: 'a@example.com' })).rejects.toMatchObject({
    code: 'parameters_exclusive',
  });
  await expect(opened(harness, { line_items: [{ price: 'x' }] })).rejects.toMatchObject({
    statusCode: 400,
    param: 'line_items[0][price]',
  });
});

test('the billing portal shows the subscription, cancels it and leads back', async () => {
  const { emulator, receiver, stripe } = await startHarness();
  await emulator.setSubscription('t1', 'active');
  const [customer] = (await stripe.customers.list()).data;
  const session = await stripe.billingPortal.sessions.create({
    customer: customer?.id ?? '',
    return_url: 'https://console.example/billing',
  });
  expect(session).toMatchObject({ object: 'billing_portal.session', id: expect.stringMatching(/^bps_\w+$/) });
  const before = await (await fetch(session.url)).text();
  expect(before).toContain('<button type="submit">Cancel subscription</button>');
  expect(before).toContain('<a href="https://console.example/billing">Return</a>');
  const after = await (await fetch(session.url, { method: 'POST' })).text();
  expect(after).toContain(': canceled');
  expect(after).not.toContain('<button');
  expect(receiver.events.at(-1)?.type).toBe('customer.subscription.deleted');
});

test('a page that does not exist is 404', async () => {
  const { emulator } = await startHarness();
  expect((await fetch(`http://127.0.0.1:${emulator.port}/c/pay/cs_test_x`)).status).toBe(404);
});
