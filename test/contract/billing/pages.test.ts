import { expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { setSubscription, stripeOf } from '../../support/billing.ts';
import { type Answer, control, outcome } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const stripe = stripeOf(stack);
const BILLING_PAGE = `${consoleOriginOf(portsOf(stack))}/billing`;

function open({ console }: Tenant, page: 'checkout' | 'portal', headers = {}): Promise<Answer> {
  return console.send('POST', `/v1/billing/${page}`, undefined, { headers });
}

function urlOf(answer: Answer): string {
  return read(z.strictObject({ url: z.url({ protocol: /^https?$/ }) }), answer).url;
}

/** Presses the button on a page of the Stripe emulator. Returns the URL to which the page redirects. */
async function press(url: string): Promise<string | null> {
  const answer = await fetch(url, { method: 'POST', redirect: 'manual' });
  expect(answer.status).toBe(303);
  return answer.headers.get('location');
}

async function html(url: string): Promise<string> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Returns the ids of the customers at Stripe that have the tenant's id in their metadata. */
async function customersOf(tenant: Tenant): Promise<string[]> {
  const all = await stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
  return all.filter(({ metadata }) => metadata.tenant_id === tenant.id).map(({ id }) => id);
}

test('after a payment on the checkout page, Stripe redirects to the console and the standing is "good"', async () => {
  const tenant = await makeTenant(stack, 'none');
  const url = urlOf(await open(tenant, 'checkout'));
  expect(await html(url)).toContain('Pay');
  expect(await press(url)).toBe(`${BILLING_PAGE}?checkout=done`);
  const { body } = await tenant.console.send('GET', '/v1/billing');
  expect(body).toEqual({ standing: 'good', subscription: { status: 'active' } });
  expect(await tenant.createKey('hsm')).toEqual(expect.any(String));
});

test('checkout creates a subscription whose periods begin with UTC months', async () => {
  const tenant = await makeTenant(stack, 'none');
  await press(urlOf(await open(tenant, 'checkout')));
  const [customer = ''] = await customersOf(tenant);
  const { data } = await stripe.subscriptions.list({ customer });
  expect(data).toHaveLength(1);
  expect(data[0]?.metadata).toEqual({ tenant_id: tenant.id });
  const anchor = new Date((data[0]?.billing_cycle_anchor ?? 0) * 1000).toISOString();
  expect(anchor).toMatch(/^\d{4}-\d{2}-01T00:00:00\.000Z$/);
});

test.each(['trialing', 'incomplete', 'paused'])(
  'checkout is refused while the status of the subscription is %s',
  async (status) => {
    const tenant = await makeTenant(stack, status);
    expectRefusal(await open(tenant, 'checkout'), '409 billing_active');
  },
);

test.each(['incomplete_expired', 'none'])(
  'checkout is allowed if the status of the subscription is %s',
  async (status) => {
    const tenant = await makeTenant(stack, 'active');
    await setSubscription(stack, tenant.id, status);
    const url = urlOf(await open(tenant, 'checkout'));
    await press(url);
    expect((await tenant.console.send('GET', '/v1/billing')).body).toMatchObject({ standing: 'good' });
    expectRefusal(await open(tenant, 'checkout'), '409 billing_active');
    expect(await customersOf(tenant)).toHaveLength(1);
  },
);

test('of the payment pages of several checkouts, only one can be paid', async () => {
  const tenant = await makeTenant(stack, 'none');
  const answers = await Promise.all(Array.from({ length: 10 }, () => open(tenant, 'checkout')));
  const urls = [...answers, await open(tenant, 'checkout')].map(urlOf);
  for (const url of urls) await fetch(url, { method: 'POST', redirect: 'manual' });
  const [customer = '', ...others] = await customersOf(tenant);
  expect(others).toEqual([]);
  expect((await stripe.subscriptions.list({ customer, status: 'all' })).data).toHaveLength(1);
});

test('a checkout replaces a customer that was deleted at Stripe, and the new customer can pay', async () => {
  const tenant = await makeTenant(stack, 'none');
  await press(urlOf(await open(tenant, 'checkout')));
  for (const customer of await customersOf(tenant)) await stripe.customers.del(customer);
  await vi.waitUntil(async () => Object((await tenant.console.send('GET', '/v1/billing')).body).standing === 'none');
  await press(urlOf(await open(tenant, 'checkout')));
  expect((await tenant.console.send('GET', '/v1/billing')).body).toMatchObject({ standing: 'good' });
  expect(await customersOf(tenant)).toHaveLength(1);
});

test('a checkout that finds an open subscription, whose webhook was lost, stores it', async () => {
  const tenant = await makeTenant(stack, 'canceled');
  const lost = { tenant_id: tenant.id, status: 'active', webhooks: 'lost' };
  await control(stack, 'POST', '/stripe/subscription', lost);
  expect((await tenant.console.send('GET', '/v1/billing')).body).toMatchObject({ standing: 'none' });
  expectRefusal(await open(tenant, 'checkout'), '409 billing_active');
  expect((await tenant.console.send('GET', '/v1/billing')).body).toMatchObject({ standing: 'good' });
  expect(outcome(await open(tenant, 'portal'))).toBe('200');
});

test('a tenant can end its subscription in the billing portal, and then the standing of the tenant is "none"', async () => {
  const tenant = await makeTenant(stack);
  const url = urlOf(await open(tenant, 'portal'));
  expect(await html(url)).toContain(`href="${BILLING_PAGE}"`);
  await press(url);
  const { body } = await tenant.console.send('GET', '/v1/billing');
  expect(body).toEqual({ standing: 'none', subscription: { status: 'canceled' } });
});

test('the billing portal is refused until a checkout is completed', async () => {
  const tenant = await makeTenant(stack, 'none');
  expectRefusal(await open(tenant, 'portal'), '409 billing_not_set_up');
  const url = urlOf(await open(tenant, 'checkout'));
  expectRefusal(await open(tenant, 'portal'), '409 billing_not_set_up');
  await press(url);
  expect(outcome(await open(tenant, 'portal'))).toBe('200');
});

test('the billing portal stays available after the subscription has ended', async () => {
  expect(outcome(await open(await makeTenant(stack, 'canceled'), 'portal'))).toBe('200');
});

const FORGED = {
  origin: 'https://evil.example',
  referer: 'https://evil.example/x',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  forwarded: 'host=evil.example;proto=https',
};

test('request headers cannot change the return URLs of billing pages', async () => {
  const tenant = await makeTenant(stack, 'none');
  const checkout = urlOf(await open(tenant, 'checkout', FORGED));
  expect(await html(checkout)).toContain(`href="${BILLING_PAGE}?checkout=left"`);
  expect(await press(checkout)).toBe(`${BILLING_PAGE}?checkout=done`);
  const portal = await html(urlOf(await open(tenant, 'portal', FORGED)));
  expect(portal).toContain(`href="${BILLING_PAGE}"`);
  expect(portal).not.toContain('evil');
});
