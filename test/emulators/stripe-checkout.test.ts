import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { at, customerOf, type Harness, priceId, startHarness, unix } from './stripe-harness.ts';

/** The checkout that the service opens for the tenant `t1`. */
function checkoutOf(customer: string): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    customer,
    client_reference_id: 't1',
    line_items: [{ price: priceId, quantity: 1 }],
    subscription_data: {
      metadata: { tenant_id: 't1' },
      billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
      proration_behavior: 'none',
    },
    success_url: 'https://console.example/billing?checkout=done',
    cancel_url: 'https://console.example/billing?a=1&b=2',
  };
}

/** Presses the button on a page of the checkout or the billing portal. */
function press(url: string): Promise<Response> {
  return fetch(url, { method: 'POST', redirect: 'manual' });
}

async function openCheckout(harness: Harness, more: Stripe.Checkout.SessionCreateParams = {}) {
  const customer = await customerOf(harness);
  const session = await harness.stripe.checkout.sessions.create({ ...checkoutOf(customer), ...more });
  return { customer, session, url: session.url ?? '' };
}

describe('a checkout session', () => {
  test('a checkout session is open for 24 hours, at an address of the emulator', async () => {
    const harness = await startHarness();
    const { customer, session } = await openCheckout(harness);
    expect(session).toMatchObject({
      object: 'checkout.session',
      mode: 'subscription',
      status: 'open',
      customer,
      client_reference_id: 't1',
      subscription: null,
      expires_at: unix('2026-11-16T12:00:00Z'),
      url: `http://127.0.0.1:${harness.emulator.port}/c/pay/${session.id}`,
    });
  });

  test('a checkout session has a page with a button to pay and a link back', async () => {
    const { url } = await openCheckout(await startHarness());
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(html).toContain('<form method="post"><button type="submit">Pay</button></form>');
    expect(html).toContain('href="https://console.example/billing?a=1&#38;b=2"');
  });

  test('a payment starts the subscription, notifies the service and then redirects the person', async () => {
    const harness = await startHarness();
    const { receiver, stripe } = harness;
    const { customer, url } = await openCheckout(harness);
    const response = await press(url);
    expect(receiver.events.map(({ type }) => type)).toEqual([
      'customer.created',
      'customer.subscription.created',
      'checkout.session.completed',
    ]);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('https://console.example/billing?checkout=done');
    const [subscription] = (await stripe.subscriptions.list({ customer })).data;
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: { tenant_id: 't1' },
      billing_cycle_anchor: unix('2026-12-01T00:00:00Z'),
      items: {
        data: [
          {
            current_period_start: unix('2026-11-15T12:00:00Z'),
            current_period_end: unix('2026-12-01T00:00:00Z'),
          },
        ],
      },
    });
    expect(receiver.events.at(-1)?.data.object).toMatchObject({
      client_reference_id: 't1',
      status: 'complete',
      subscription: subscription?.id,
      url: null,
    });
  });

  test('a checkout session that is paid twice starts one subscription', async () => {
    const harness = await startHarness();
    const { customer, url } = await openCheckout(harness);
    await press(url);
    expect((await press(url)).status).toBe(303);
    expect((await harness.stripe.subscriptions.list({ customer })).data).toHaveLength(1);
  });

  test('a checkout session that is not paid expires and can no longer be paid', async () => {
    const harness = await startHarness();
    const { url } = await openCheckout(harness);
    harness.clock.now = at('2026-11-16T12:00:00Z');
    await harness.emulator.advance();
    expect(harness.receiver.events.at(-1)?.type).toBe('checkout.session.expired');
    expect(await (await press(url)).text()).toContain('This session is expired.');
    expect((await harness.stripe.subscriptions.list()).data).toEqual([]);
  });

  test.each<[string, string, Stripe.Checkout.SessionCreateParams]>([
    ['in a mode other than subscription', 'mode', { mode: 'payment' }],
    ['with an invalid price', 'line_items[0][price]', { line_items: [{ price: 'x', quantity: 1 }] }],
    [
      'whose periods do not start on the 1st',
      'subscription_data[billing_cycle_anchor_config][day_of_month]',
      {
        subscription_data: {
          billing_cycle_anchor_config: { day_of_month: 2, hour: 0, minute: 0, second: 0 },
          proration_behavior: 'none',
        },
      },
    ],
    [
      'whose periods start on the day of the payment',
      'subscription_data[billing_cycle_anchor_config]',
      { subscription_data: { proration_behavior: 'none' } },
    ],
  ])('a checkout session %s is refused', async (_, param, more) => {
    await expect(openCheckout(await startHarness(), more)).rejects.toMatchObject({ statusCode: 400, param });
  });
});

test('the billing portal shows the subscription, cancels it and links back', async () => {
  const harness = await startHarness();
  const { emulator, receiver, stripe } = harness;
  await emulator.setSubscription('t1', 'active');
  const session = await stripe.billingPortal.sessions.create({
    customer: await customerOf(harness),
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

test('a request for an unknown page gets 404', async () => {
  const { emulator } = await startHarness();
  expect((await fetch(`http://127.0.0.1:${emulator.port}/c/pay/cs_test_x`)).status).toBe(404);
});
