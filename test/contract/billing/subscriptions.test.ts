import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { PRICE_ID, STRIPE_SECRETS } from '../../../emulators/stack/service-environment.ts';
import { setSubscription, stripeOf } from '../../support/billing.ts';
import { type Answer, control, outcome, send, text } from '../../support/client.ts';
import { read } from '../../support/objects.ts';
import { bodiesFor, METERED, type Metered, operate } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const stripe = stripeOf(stack);
const WEBHOOKS = `${stack.baseUrl}/v1/webhooks/stripe`;
const now = () => Math.floor(Date.now() / 1000);

function sign(payload: string, options: { secret?: string; timestamp?: number } = {}): string {
  return stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_SECRETS.webhookSecret, ...options });
}

function deliver(payload: string, signature: string | undefined = sign(payload)): Promise<Answer> {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
  return send('POST', WEBHOOKS, { raw: payload, headers });
}

/** Returns an event of this type about the tenant's subscription, as the JSON that Stripe sends. */
async function eventAbout(tenant: Tenant, type: string): Promise<string> {
  const events = await stripe.events.list({ type, limit: 100 });
  const about = events.data.find((event) => JSON.stringify(event.data.object).includes(tenant.id));
  if (about === undefined) throw new Error(`no event ${type}`);
  return JSON.stringify(about);
}

function altered(event: string, changes: Partial<Record<keyof Stripe.Subscription, unknown>>): string {
  const parsed = JSON.parse(event);
  return JSON.stringify({ ...parsed, data: { object: { ...parsed.data.object, ...changes } } });
}

async function standingOf({ console }: Tenant): Promise<unknown> {
  return (await console.send('GET', '/v1/billing')).body;
}

let tenant: Tenant;
let event: string;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  event = await eventAbout(tenant, 'customer.subscription.created');
});

test('the signature of an event is checked against the raw body, whatever the JSON layout', async () => {
  for (const body of [event, JSON.stringify(JSON.parse(event), null, 2), `${event}\n`]) {
    expect(outcome(await deliver(body))).toBe('200');
  }
});

test.each<[string, () => string]>([
  ['made with a wrong secret', () => sign(event, { secret: 'whsec_other' })],
  ['made for a different event', () => sign(event.replace('created', 'updated'))],
  ['made for a different JSON layout of the same event', () => sign(JSON.stringify(JSON.parse(event), null, 2))],
  ['truncated', () => sign(event).slice(0, -1)],
  ['changed to a different time', () => sign(event).replace(/t=\d+/, `t=${now() + 1}`)],
  ['over five minutes old', () => sign(event, { timestamp: now() - 400 })],
])('a signature that is %s is refused', async (_, signature) => {
  expectRefusal(await deliver(event, signature()), '400 invalid_request');
});

test('a signature that is a few minutes old is accepted, and so is a header with an invalid and a valid signature', async () => {
  expect(outcome(await deliver(event, sign(event, { timestamp: now() - 200 })))).toBe('200');
  const both = sign(event).replace(',v1=', `,v1=${'0'.repeat(64)},v1=`);
  expect(outcome(await deliver(event, both))).toBe('200');
});

test('a signed body that is not JSON is refused', async () => {
  expectRefusal(await deliver('not JSON'), '400 invalid_request');
});

test.each([
  ['of a type that the service ignores', { type: 'invoice.paid' }],
  ['of an unknown type', { type: 'made.up' }],
  ['about a completed checkout', { type: 'checkout.session.completed' }],
])('an event %s gets 200 and changes nothing', async (_, change) => {
  const answer = await deliver(JSON.stringify({ ...JSON.parse(event), ...change }));
  expect([answer.status, answer.body]).toEqual([200, {}]);
  expect(await standingOf(tenant)).toEqual({ standing: 'good', subscription: { status: 'active' } });
});

test.each([
  ['no tenant', {}],
  ['a malformed tenant id', { tenant_id: 'x' }],
  ['a tenant that does not exist', { tenant_id: randomUUID() }],
])('an event about a subscription whose metadata names %s gets 200', async (_, metadata) => {
  expect(outcome(await deliver(altered(event, { metadata })))).toBe('200');
});

test('an event can be larger than the body limit of other routes', async () => {
  expect(outcome(await deliver(altered(event, { description: 'x'.repeat(500_000) })))).toBe('200');
});

test('repeated deliveries of an event, even 20 at once, are answered with 200 and change nothing', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(event)));
  expect(answers.map(outcome)).toEqual(Array(20).fill('200'));
  expect(await standingOf(tenant)).toEqual({ standing: 'good', subscription: { status: 'active' } });
});

test('an old event with the status "active" does not undo a cancellation', async () => {
  const canceled = await makeTenant(stack);
  const old = await eventAbout(canceled, 'customer.subscription.created');
  await setSubscription(stack, canceled.id, 'canceled');
  for (const body of [old, altered(old, { status: 'active' }), old]) {
    expect(outcome(await deliver(body))).toBe('200');
    expect(await standingOf(canceled)).toEqual({ standing: 'none', subscription: { status: 'canceled' } });
  }
});

test('an old cancellation event does not undo the next subscription', async () => {
  const renewed = await makeTenant(stack);
  await setSubscription(stack, renewed.id, 'canceled');
  const old = await eventAbout(renewed, 'customer.subscription.deleted');
  await setSubscription(stack, renewed.id, 'active');
  expect(outcome(await deliver(old))).toBe('200');
  expect(await standingOf(renewed)).toEqual({ standing: 'good', subscription: { status: 'active' } });
});

test('after concurrent events with different statuses, the tenant has the current status of the subscription', async () => {
  const busy = await makeTenant(stack);
  for (const status of ['past_due', 'unpaid', 'active', 'paused']) await setSubscription(stack, busy.id, status);
  const events = await stripe.events.list({ limit: 100 });
  const about = events.data.map((each) => JSON.stringify(each)).filter((each) => each.includes(busy.id));
  expect(about.length).toBeGreaterThanOrEqual(5);
  const answers = await Promise.all([...about, ...about].map((each) => deliver(each)));
  expect(new Set(answers.map(outcome))).toEqual(new Set(['200']));
  expect(await standingOf(busy)).toEqual({ standing: 'none', subscription: { status: 'paused' } });
});

/** Makes a customer with a subscription without a tenant id, so the service ignores Stripe's own events about it. */
async function makeCustomer(metadata: Stripe.MetadataParam, price = PRICE_ID): Promise<string> {
  const { id } = await stripe.customers.create({ metadata });
  await stripe.subscriptions.create({ customer: id, items: [{ price }] });
  return id;
}

const eventNaming = (customer: string, { id }: Tenant) => altered(event, { customer, metadata: { tenant_id: id } });
const NONE = { standing: 'none', subscription: null };
const GOOD = { standing: 'good', subscription: { status: 'active' } };

test.each([
  ['with a subscription', async (own: Tenant) => makeCustomer({ tenant_id: own.id })],
  [
    'without a subscription',
    async (own: Tenant) => (await stripe.customers.create({ metadata: { tenant_id: own.id } })).id,
  ],
  ['unknown to Stripe', async () => 'cus_nobody'],
])('an event that names a different customer does not change the tenant’s customer (%s)', async (_, make) => {
  const [paying, canceled] = [await makeTenant(stack), await makeTenant(stack, 'canceled')];
  for (const [own, standing] of [
    [paying, GOOD],
    [canceled, { standing: 'none', subscription: { status: 'canceled' } }],
  ] as const) {
    expect(outcome(await deliver(eventNaming(await make(own), own)))).toBe('200');
    expect(await standingOf(own)).toEqual(standing);
  }
});

test.each<[string, (own: Tenant) => Promise<string>]>([
  ['has no tenant id in its metadata', () => makeCustomer({})],
  ['has the id of another tenant in its metadata', () => makeCustomer({ tenant_id: tenant.id })],
  ['does not exist at Stripe', async () => 'cus_nobody'],
])('an event does not link a tenant to a customer that %s', async (_, make) => {
  const own = await makeTenant(stack, 'none');
  expect(outcome(await deliver(eventNaming(await make(own), own)))).toBe('200');
  expect(await standingOf(own)).toEqual(NONE);
  expectRefusal(await own.console.send('POST', '/v1/billing/portal'), '409 billing_not_set_up');
});

test('the first event links a tenant to a customer that has the tenant’s id in its metadata', async () => {
  const own = await makeTenant(stack, 'none');
  expect(outcome(await deliver(eventNaming(await makeCustomer({ tenant_id: own.id }), own)))).toBe('200');
  expect(await standingOf(own)).toEqual(GOOD);
  expectRefusal(await own.console.send('POST', '/v1/billing/checkout'), '409 billing_active');
});

test('only a subscription at the service’s price gives a tenant good standing', async () => {
  const own = await makeTenant(stack, 'none');
  const customer = await makeCustomer({ tenant_id: own.id }, 'price_of_something_else');
  expect(outcome(await deliver(eventNaming(customer, own)))).toBe('200');
  expect(await standingOf(own)).toEqual(NONE);
  expect(outcome(await own.console.send('POST', '/v1/billing/checkout'))).toBe('200');
  await stripe.subscriptions.create({ customer, items: [{ price: 'price_of_a_third' }, { price: PRICE_ID }] });
  expect(outcome(await deliver(eventNaming(customer, own)))).toBe('200');
  expect(await standingOf(own)).toEqual(GOOD);
});

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
  expect(await standingOf(tenant)).toEqual({ standing: 'good', subscription: { status: 'active' } });
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
    expect(await standingOf(tenant)).toMatchObject({ standing: 'good' });
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
  await expect.poll(() => standingOf(tenant)).toMatchObject({ standing: 'none' });
  await press(urlOf(await open(tenant, 'checkout')));
  expect(await standingOf(tenant)).toMatchObject({ standing: 'good' });
  expect(await customersOf(tenant)).toHaveLength(1);
});

test('a checkout that finds an open subscription, whose webhook was lost, stores it', async () => {
  const tenant = await makeTenant(stack, 'canceled');
  const lost = { tenant_id: tenant.id, status: 'active', webhooks: 'lost' };
  await control(stack, 'POST', '/stripe/subscription', lost);
  expect(await standingOf(tenant)).toMatchObject({ standing: 'none' });
  expectRefusal(await open(tenant, 'checkout'), '409 billing_active');
  expect(await standingOf(tenant)).toMatchObject({ standing: 'good' });
  expect(outcome(await open(tenant, 'portal'))).toBe('200');
});

test('a checkout that finds no open subscription, because the webhook of its end was lost, stores that', async () => {
  const tenant = await makeTenant(stack);
  const lost = { tenant_id: tenant.id, status: 'canceled', webhooks: 'lost' };
  await control(stack, 'POST', '/stripe/subscription', lost);
  expect(await standingOf(tenant)).toMatchObject({ standing: 'good' });
  expect(outcome(await tenant.console.send('POST', '/v1/billing/checkout'))).toBe('200');
  expect(await standingOf(tenant)).toMatchObject({ standing: 'none' });
});

test('a tenant can end its subscription in the billing portal, and then the standing of the tenant is "none"', async () => {
  const tenant = await makeTenant(stack);
  const url = urlOf(await open(tenant, 'portal'));
  expect(await html(url)).toContain(`href="${BILLING_PAGE}"`);
  await press(url);
  expect(await standingOf(tenant)).toEqual({ standing: 'none', subscription: { status: 'canceled' } });
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

const UNPAID = '402 billing_required';

const createKey = async ({ api }: Tenant, tier: Tier) =>
  outcome(await api.send('POST', '/v1/keys', { name: `another ${tier} key`, tier }));

test.each([
  ['active', 'good'],
  ['trialing', 'good'],
  ['past_due', 'good'],
  ['incomplete', 'none'],
  ['incomplete_expired', 'none'],
  ['unpaid', 'none'],
  ['paused', 'none'],
  ['canceled', 'none'],
])(
  'a subscription with the status %s gives the tenant the standing "%s", which decides about new ciphertext and new keys',
  async (status, standing) => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('wrapped');
    await setSubscription(stack, tenant.id, status);
    expect(await standingOf(tenant)).toEqual({ standing, subscription: { status } });
    const encrypted = outcome(await operate(tenant.api, key, 'encrypt', { plaintext: 'aGVsbG8=' }));
    const expected = standing === 'good' ? ['200', '201'] : [UNPAID, UNPAID];
    expect([encrypted, await createKey(tenant, 'wrapped')]).toEqual(expected);
  },
);

test('a tenant without a subscription has the standing "none", even after an incomplete checkout', async () => {
  const tenant = await makeTenant(stack, 'none');
  for (const call of ['GET /v1/billing', 'POST /v1/billing/checkout']) {
    const [method = '', path = ''] = call.split(' ');
    expect(outcome(await tenant.console.send(method, path))).toBe('200');
    expect(await standingOf(tenant)).toEqual({ standing: 'none', subscription: null });
  }
  expect(await createKey(tenant, 'wrapped')).toBe(UNPAID);
});

/** Makes a tenant with a key and prepares requests that use the key, then cancels the tenant's subscription. */
async function makeLapsed(tier: Tier) {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey(tier);
  const bodies = await bodiesFor(tenant.api, key);
  await setSubscription(stack, tenant.id, 'canceled');
  const ops = async () => (await lineOf(tenant.api, key)).ops;
  const perform = (operation: Metered) => operate(tenant.api, key, operation, bodies[operation]);
  return { tenant, key, ops, perform };
}

test.each(['wrapped', 'software', 'hsm'] as const)(
  'while billing is not in good standing, a %s key makes no ciphertext, and everything else still works',
  async (tier) => {
    const { tenant, key, ops, perform } = await makeLapsed(tier);
    const before = await ops();
    for (const operation of ['encrypt', 'wrap', 'rewrap'] as const) {
      const answer = await perform(operation);
      expect(outcome(answer)).toBe(UNPAID);
      const message = text(answer, 'message');
      expect(message).toContain("new ciphertext under a paid key needs the tenant's billing in good standing");
      expect(message).toContain('decrypt and unwrap still work');
    }
    expect(await ops()).toBe(before);
    for (const operation of ['decrypt', 'unwrap'] as const) expect(outcome(await perform(operation))).toBe('200');
    expect(await ops()).toBe(before + 2);
    const path = `/v1/keys/${key}`;
    for (const client of [tenant.api, tenant.console]) {
      for (const [method, target, body] of [
        ['PATCH', path, { name: `renamed by ${client.token?.slice(0, 3)}` }],
        ['DELETE', path],
        ['POST', `${path}/restore`],
        ['GET', path],
        ['GET', '/v1/keys'],
        ['GET', '/v1/usage'],
        ['GET', `${path}/audit`],
        ['POST', `${path}/rotate`],
      ] as const) {
        expect([method, target, outcome(await client.send(method, target, body))]).toEqual([method, target, '200']);
      }
    }
  },
);

test('free keys can be used and created while billing is not in good standing', async () => {
  const { tenant, key, perform } = await makeLapsed('free');
  expect((await Promise.all(METERED.map(perform))).map(outcome)).toEqual(Array(5).fill('200'));
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${key}/destroy`))).toBe('204');
  expect(await createKey(tenant, 'free')).toBe('201');
});
