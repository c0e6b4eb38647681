import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { beforeAll, expect, inject, test } from 'vitest';
import { PRICE_ID, STRIPE_SECRETS } from '../../../emulators/stack/service-environment.ts';
import { setSubscription, stripeOf } from '../../support/billing.ts';
import { type Answer, outcome, send } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

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
  ['changed to a different time', () => sign(event).replace(/t=\d+/, `t=${now() - 1}`)],
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
