import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Stripe from 'stripe';
import { test as base, expect, expectTypeOf } from 'vitest';
import type * as Emulated from '../../emulators/stripe/objects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  at,
  connect,
  customerOf,
  type Harness,
  priceId,
  SEPARATE_INVOICE,
  startHarness,
  unix,
} from './stripe-harness.ts';

// The behavior of Stripe on which the service relies. A source is a page of https://docs.stripe.com.

const NOON = '2026-11-15T12:00:00Z';
const OCTOBER = '2026-10-20T09:00:00Z';
const NOVEMBER = '2026-11-01T00:00:05Z';
const test = base.extend('harness', () => startHarness());
const typesOf = ({ receiver }: Pick<Harness, 'receiver'>) => receiver.events.map(({ type }) => type);

/** Calls the API at the URL of a hosted page as a person does: `POST` presses its button. */
const press = (url: string | null) => fetch(url ?? '', { method: 'POST', redirect: 'manual' });

/** The checkout that the service opens for the tenant `t1`. */
const checkoutOf = (customer: string): Stripe.Checkout.SessionCreateParams => ({
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
});

const openCheckout = async (harness: Harness) =>
  harness.stripe.checkout.sessions.create(checkoutOf(await customerOf(harness)));

/** Starts an emulator in which the tenant `t1` has had a subscription since October. */
const startSubscribed = async (status: Emulated.SubscriptionStatus = 'active') => {
  const harness = await startHarness({ clock: { now: at(OCTOBER) } });
  await harness.emulator.setSubscription('t1', status);
  harness.receiver.events.length = 0;
  return { ...harness, customer: await customerOf(harness) };
};

/** Like `startSubscribed`, but at the start of November, with a draft invoice. */
const startAtMonthStart = async (status: Emulated.SubscriptionStatus = 'active') => {
  const harness = await startSubscribed(status);
  harness.clock.now = at(NOVEMBER);
  await harness.emulator.advance();
  const { customer, stripe } = harness;
  const invoice = (await stripe.invoices.list()).data[0]?.id ?? '';
  const item = { customer, invoice, currency: 'usd' };
  const addItem = (amount: number, description = 'orders') =>
    stripe.invoiceItems.create({ ...item, amount, description });
  return { ...harness, draft: invoice, item, addItem };
};

/** The type `T` of Stripe’s library, but with every field optional, at any depth. */
type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: PartOf<T[Key]> }
    : T;
/** The fields of an emulator’s object that the original does not have, or all fields if a type differs. */
type Extra<Own, Original> = Own extends PartOf<Original> ? Exclude<keyof Own, keyof Original> : keyof Own;
type ItemOf<Own extends { items: { data: readonly unknown[] } }> = Own['items']['data'][number];

test('the objects have only fields of the types in Stripe’s library (stripe-node)', () => {
  expectTypeOf<Extra<Emulated.Customer, Stripe.Customer>>().toBeNever();
  expectTypeOf<Extra<Emulated.Subscription, Stripe.Subscription>>().toBeNever();
  expectTypeOf<Extra<ItemOf<Emulated.Subscription>, Stripe.SubscriptionItem>>().toBeNever();
  expectTypeOf<Extra<Emulated.Invoice, Stripe.Invoice>>().toBeNever();
  expectTypeOf<Extra<Emulated.InvoiceItem, Stripe.InvoiceItem>>().toBeNever();
  expectTypeOf<Extra<Emulated.CheckoutSession, Stripe.Checkout.Session>>().toBeNever();
  expectTypeOf<Extra<Emulated.PortalSession, Stripe.BillingPortal.Session>>().toBeNever();
  expectTypeOf<Extra<Omit<Emulated.Event, 'data' | 'type'>, Stripe.CustomerCreatedEvent>>().toBeNever();
});

/** Requests that Stripe refuses, each with the error. */
const refusals: Record<string, readonly [object, (harness: Harness) => Promise<unknown>]> = {
  'the wrong secret key': [{ statusCode: 401 }, ({ emulator }) => connect(emulator.port, 'wrong').customers.list()],
  'an unknown path': [
    { statusCode: 404, rawType: 'invalid_request_error', requestId: expect.stringMatching(/^req_\w+$/) },
    ({ stripe }) => stripe.charges.list(),
  ],
  'an unknown id in the path': [
    { statusCode: 404, code: 'resource_missing', param: 'id', message: "No such customer: 'cus_x'" },
    ({ stripe }) => stripe.customers.retrieve('cus_x'),
  ],
  'an unknown id in a parameter': [
    { statusCode: 400, code: 'resource_missing', param: 'customer' },
    ({ stripe }) => stripe.billingPortal.sessions.create({ customer: 'cus_x', return_url: 'https://a' }),
  ],
  'an unknown cursor': [
    { statusCode: 400, param: 'starting_after' },
    ({ stripe }) => stripe.customers.list({ starting_after: 'cus_x' }),
  ],
  'an unknown parameter': [
    { statusCode: 400, code: 'parameter_unknown', param: 'balance' },
    ({ stripe }) => stripe.customers.create({ balance: 5 }),
  ],
  'a missing parameter': [
    { statusCode: 400, code: 'parameter_missing', param: 'customer' },
    ({ stripe }) => stripe.rawRequest('POST', '/v1/billing_portal/sessions'),
  ],
  'an invalid parameter': [
    { statusCode: 400, param: 'created[gte]' },
    ({ stripe }) => stripe.invoices.list({ created: { gte: -1 } }),
  ],
  'a checkout whose periods start at any time': [
    { statusCode: 400, param: 'subscription_data[billing_cycle_anchor_config]' },
    async (harness) =>
      harness.stripe.checkout.sessions.create({
        ...checkoutOf(await customerOf(harness)),
        subscription_data: { proration_behavior: 'none' },
      }),
  ],
};
test.each(Object.entries(refusals))('the error for %s is that of Stripe (api/errors)', async (_, [error, send]) => {
  await expect(send(await startHarness())).rejects.toMatchObject(error);
});

test('lists have the newest object first, in pages (api/pagination)', async ({ harness: { stripe } }) => {
  const names = ['one', 'two', 'three'];
  for (const name of names) await stripe.customers.create({ metadata: { name } });
  const first = await stripe.customers.list({ limit: 2 });
  expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/customers' });
  const second = await stripe.customers.list({ limit: 1, starting_after: first.data[1]?.id ?? '' });
  expect(second.has_more).toBe(false);
  expect([...first.data, ...second.data].map(({ metadata }) => metadata.name)).toEqual(names.toReversed());
});

test('a customer keeps its metadata, and is marked as deleted when it is deleted (api/customers)', async ({
  harness,
}) => {
  const { receiver, stripe } = harness;
  const { url } = await openCheckout(harness);
  const id = await customerOf(harness);
  expect(await stripe.customers.retrieve(id)).toMatchObject({ id, created: unix(NOON), metadata: { tenant_id: 't1' } });
  await harness.emulator.setSubscription('t1', 'active');
  await stripe.customers.del(id);
  expect(await stripe.customers.retrieve(id)).toMatchObject({ id, deleted: true });
  expect((await stripe.customers.list()).data).toEqual([]);
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toMatchObject([{ status: 'canceled' }]);
  expect(await (await press(url)).text()).toContain('This session is expired.');
  expect(typesOf({ receiver })).toContain('customer.subscription.deleted');
});

test('a repeated request gets the first answer for 24 hours (api/idempotent_requests)', async ({ harness }) => {
  const { clock, stripe } = harness;
  const options = { idempotencyKey: 'key-1' };
  await expect(stripe.customers.create({ balance: 5 }, options)).rejects.toMatchObject({ statusCode: 400 });
  const first = await stripe.customers.create({}, options);
  clock.now = at('2026-11-16T12:00:00Z');
  const again = await stripe.customers.create({}, options);
  expect(again.id).toBe(first.id);
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect((await stripe.customers.list()).data).toHaveLength(1);
  const other = stripe.customers.create({ metadata: { tenant_id: 't1' } }, options);
  await expect(other).rejects.toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
  clock.now = at('2026-11-16T12:00:01Z');
  expect((await stripe.customers.create({}, options)).id).not.toBe(first.id);
});

test('a session can be paid once, and starts a subscription (api/checkout/sessions)', async ({ harness }) => {
  const { emulator, receiver, stripe } = harness;
  const session = await openCheckout(harness);
  const url = `http://127.0.0.1:${emulator.port}/c/pay/${session.id}`;
  const open = { status: 'open', client_reference_id: 't1', expires_at: unix('2026-11-16T12:00:00Z'), url };
  expect(session).toMatchObject({ ...open, subscription: null });
  const html = await (await fetch(url)).text();
  expect(html).toContain('<button type="submit">Pay</button>');
  expect(html).toContain('href="https://console.example/billing?a=1&#38;b=2"');
  const paid = await press(url);
  expect(typesOf(harness)).toEqual(['customer.created', 'customer.subscription.created', 'checkout.session.completed']);
  expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://console.example/billing?checkout=done']);
  expect((await press(url)).status).toBe(303);
  const { data } = await stripe.subscriptions.list({ customer: await customerOf(harness) });
  const period = { current_period_start: unix(NOON), current_period_end: unix('2026-12-01T00:00:00Z') };
  expect(data).toMatchObject([{ status: 'active', metadata: { tenant_id: 't1' }, items: { data: [period] } }]);
  const complete = { client_reference_id: 't1', status: 'complete', subscription: data[0]?.id, url: null };
  expect(receiver.events.at(-1)?.data.object).toMatchObject(complete);
});

test('a session expires after 24 hours, and can no longer be paid (api/checkout/sessions)', async ({ harness }) => {
  const { url } = await openCheckout(harness);
  harness.clock.now = at('2026-11-16T12:00:00Z');
  await harness.emulator.advance();
  expect(typesOf(harness).at(-1)).toBe('checkout.session.expired');
  expect(await (await press(url)).text()).toContain('This session is expired.');
  expect((await harness.stripe.subscriptions.list()).data).toEqual([]);
});

test.each([
  ['canceled', [{ status: 'active' }, { status: 'canceled' }]],
  ['none', [{ status: 'active' }]],
] as const)('after the status %s, a subscription is ended, and the next one is new', async (status, all) => {
  const harness = await startHarness();
  const { emulator, receiver, stripe } = harness;
  await emulator.setSubscription('t1', 'active');
  await emulator.setSubscription('t1', status);
  const ended = { type: 'customer.subscription.deleted', data: { object: { status: 'canceled' } } };
  expect(receiver.events.at(-1)).toMatchObject(ended);
  expect((await stripe.subscriptions.list()).data).toEqual([]);
  await emulator.setSubscription('t1', 'active');
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toMatchObject(all);
  expect((await stripe.customers.list()).data).toHaveLength(1);
});

test('the control API changes only a subscription with the tenant’s customer and the service’s price', async () => {
  const harness = await startHarness();
  const { emulator, stripe } = harness;
  const customer = await customerOf(harness);
  const metadata = { tenant_id: 't1' };
  const { id } = await stripe.customers.create();
  const foreign = await stripe.subscriptions.create({ customer: id, items: [{ price: priceId }], metadata });
  const other = await stripe.subscriptions.create({ customer, items: [{ price: 'price_other' }], metadata });
  for (const status of ['active', 'unpaid', 'none'] as const) await emulator.setSubscription('t1', status);
  const { data } = await stripe.subscriptions.list({ status: 'all' });
  expect(data.map((one) => [one.id, one.status])).toEqual([other, foreign].map((one) => [one.id, 'active']));
  await emulator.setSubscription('t1', 'past_due');
  const own = await stripe.subscriptions.list({ customer, price: priceId, status: 'all' });
  expect(own.data).toMatchObject([{ status: 'past_due', items: { data: [{ price: { id: priceId } }] } }]);
});

test('a subscription is found by each price, and has monthly periods (api/subscriptions)', async ({ harness }) => {
  const { clock, stripe } = harness;
  const customer = await customerOf(harness);
  const items = [{ price: 'price_other' }, { price: priceId }];
  const { id } = await stripe.subscriptions.create({ customer, items });
  for (const { price } of items) {
    expect((await stripe.subscriptions.list({ customer, price })).data).toMatchObject([{ id }]);
  }
  expect((await stripe.subscriptions.list({ customer, price: 'price_third' })).data).toEqual([]);
  clock.now = at('2026-12-31T23:59:59Z');
  const [subscription] = (await stripe.subscriptions.list()).data;
  const ends = subscription?.items.data.map(({ current_period_end }) => current_period_end);
  expect(ends).toEqual(Array(2).fill(unix('2027-01-01T00:00:00Z')));
});

test.each([
  ['active', 4],
  ['trialing', 4],
  ['past_due', 4],
  ['unpaid', 0],
  ['paused', 0],
] as const)('a subscription that is %s gets %i draft invoices in four months', async (status, count) => {
  const { clock, emulator } = await startSubscribed(status);
  clock.now = at('2026-10-31T23:59:59Z');
  await emulator.advance();
  expect(emulator.invoices('t1')).toEqual([]);
  clock.now = at('2027-02-10T00:00:00Z');
  await emulator.advance();
  await emulator.setSubscription('t1', 'active');
  expect(emulator.invoices('t1').map(({ period, status }) => `${period} ${status}`)).toEqual(
    ['2026-10 draft', '2026-11 draft', '2026-12 draft', '2027-01 draft'].slice(0, count),
  );
  expect(emulator.invoices('t2')).toEqual([]);
});

test('a draft invoice accepts items for an hour, and is then finalized and paid (billing/invoices/workflow-transitions)', async () => {
  const { addItem, clock, customer, draft, emulator, stripe, receiver } = await startAtMonthStart();
  expect(await stripe.invoices.retrieve(draft)).toMatchObject({
    ...{ billing_reason: 'subscription_cycle', status: 'draft', auto_advance: true, customer, total: 0 },
    ...{ created: unix(NOVEMBER), automatically_finalizes_at: unix('2026-11-01T01:00:05Z') },
    ...{ period_start: unix(OCTOBER), period_end: unix('2026-11-01T00:00:00Z') },
  });
  await addItem(1000, 'software keys');
  for (const now of [OCTOBER, '2026-11-01T01:00:04Z']) {
    clock.now = at(now);
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
  }
  await addItem(300, 'wrapped keys');
  clock.now = at('2026-11-01T01:00:05Z');
  await emulator.advance();
  const lines = [
    { amount: 1000, description: 'software keys' },
    { amount: 300, description: 'wrapped keys' },
  ];
  expect(emulator.invoices('t1')).toEqual([{ id: draft, period: '2026-10', status: 'paid', lines, total: 1300 }]);
  expect(typesOf({ receiver })).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
  expect(await stripe.invoices.retrieve(draft)).toMatchObject({ total: 1300, automatically_finalizes_at: null });
  const refused = { statusCode: 400, code: 'invoice_not_editable' };
  await expect(stripe.invoices.finalizeInvoice(draft)).rejects.toMatchObject(refused);
  await expect(addItem(1)).rejects.toMatchObject(refused);
});

test('an invoice whose payment fails stays open, but one of $0 is paid (billing/invoices/workflow-transitions)', async () => {
  const { addItem, clock, emulator, receiver } = await startAtMonthStart('past_due');
  await addItem(500);
  clock.now = at('2026-12-01T02:00:00Z');
  await emulator.advance();
  clock.now = at('2026-12-01T03:00:00Z');
  await emulator.advance();
  expect(emulator.invoices('t1').map(({ status, total }) => `${status} ${total}`)).toEqual(['open 500', 'paid 0']);
  expect(typesOf({ receiver })).toContain('invoice.payment_failed');
});

test('a draft with auto_advance off stays a draft until it is finalized (billing/invoices/workflow-transitions)', async () => {
  const { clock, draft, emulator, stripe } = await startAtMonthStart();
  await stripe.invoices.update(draft, { metadata: { note: 'x' } });
  const kept = await stripe.invoices.update(draft, { auto_advance: false, metadata: { statement: 's' } });
  expect(kept).toMatchObject({ automatically_finalizes_at: null, metadata: { note: 'x', statement: 's' } });
  clock.now = at('2026-11-20T00:00:00Z');
  await emulator.advance();
  expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
  expect(await stripe.invoices.finalizeInvoice(draft, { auto_advance: true })).toMatchObject({ status: 'paid' });
});

test('an item is on its invoice once for an idempotency key, and keeps its fields (api/invoiceitems)', async () => {
  const { draft, emulator, item, stripe } = await startAtMonthStart();
  const params = { ...item, amount: 9677, description: 'orders', metadata: { tier: 'hsm' } };
  for (const _ of [1, 2]) await stripe.invoiceItems.create(params, { idempotencyKey: 't1:2026-10:hsm' });
  expect((await stripe.invoiceItems.list({ invoice: draft })).data).toMatchObject([params]);
  expect(emulator.invoices('t1')).toMatchObject([{ lines: [{ amount: 9677, description: 'orders' }], total: 9677 }]);
  const { id: customer } = await stripe.customers.create();
  const [half, foreign] = [{ amount: 1.5 }, { customer }].map((one) =>
    stripe.invoiceItems.create({ ...params, ...one }),
  );
  await expect(half).rejects.toMatchObject({ statusCode: 400, param: 'amount' });
  await expect(foreign).rejects.toMatchObject({ statusCode: 400, param: 'invoice' });
});

test('a separate invoice has the month in its metadata, and is finalized only on request (api/invoices/create)', async () => {
  const { clock, customer, emulator, stripe } = await startSubscribed();
  const metadata = { period: '2026-08' };
  const invoice = await stripe.invoices.create({ customer, ...SEPARATE_INVOICE, description: 'August', metadata });
  expect(invoice).toMatchObject({ status: 'draft', billing_reason: 'manual', description: 'August', metadata });
  await stripe.invoiceItems.create({ customer, invoice: invoice.id, amount: 300, currency: 'usd' });
  clock.now = at('2026-10-21T09:00:00Z');
  await emulator.advance();
  expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: 'draft', total: 300 });
  await stripe.invoices.finalizeInvoice(invoice.id, { auto_advance: true });
  const lines = [{ amount: 300, description: null }];
  const paid = { id: invoice.id, period: '2026-08', status: 'paid', lines, total: 300 };
  expect(emulator.invoices('t1')).toEqual([paid]);
});

test('invoices can be listed by customer and by time (api/invoices/list)', async () => {
  const { clock, customer, emulator, stripe } = await startSubscribed();
  await emulator.setSubscription('t2', 'active');
  clock.now = at(NOVEMBER);
  const idsOf = async (params: Stripe.InvoiceListParams) =>
    (await stripe.invoices.list(params)).data.map(({ id }) => id);
  await idsOf({});
  const [a, b] = [emulator.invoices('t1')[0]?.id, emulator.invoices('t2')[0]?.id];
  expect(await idsOf({ customer })).toEqual([a]);
  expect(await idsOf({ created: { gte: unix(NOVEMBER) } })).toEqual([b, a]);
  expect(await idsOf({ created: { gte: unix(NOVEMBER) + 1 } })).toEqual([]);
});

test('an event has the shape of a Stripe event, and is kept for 30 days (api/events)', async ({ harness }) => {
  const { clock, emulator, receiver, stripe } = harness;
  clock.now = at('2026-03-01T00:00:00.999Z');
  await emulator.setSubscription('t1', 'active');
  expect(receiver.events[0]).toMatchObject({
    id: expect.stringMatching(/^evt_\w+$/),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: unix('2026-03-01T00:00:00Z'),
    livemode: false,
    type: 'customer.created',
    data: { object: { object: 'customer', metadata: { tenant_id: 't1' } } },
  });
  const types = async (params: Stripe.EventListParams = {}) =>
    (await stripe.events.list(params)).data.map(({ type }) => type);
  expect(await types()).toEqual(['customer.subscription.created', 'customer.created']);
  expect(await types({ type: 'customer.created' })).toEqual(['customer.created']);
  clock.now = at('2026-03-31T00:00:01Z');
  expect(await types()).toEqual([]);
});

test('a webhook is sent until the answer is 2xx (webhooks/delivery-behaviors)', async ({ harness }) => {
  const { emulator, receiver, stripe } = harness;
  receiver.statuses = [500, 302];
  await emulator.setSubscription('t1', 'active');
  expect(typesOf(harness)).toEqual(['customer.created', 'customer.subscription.created']);
  receiver.statuses = [500, 500, 500];
  await emulator.setSubscription('t1', 'past_due');
  expect(receiver.events).toHaveLength(2);
  expect((await stripe.events.list({ limit: 1 })).data).toMatchObject([{ pending_webhooks: 1 }]);
  await emulator.setSubscription('t1', 'active');
  const later = receiver.events.slice(2).map(({ data }) => data.object);
  expect(later).toMatchObject([{ status: 'past_due' }, { status: 'active' }]);
  expect((await stripe.events.list()).data.map(({ pending_webhooks }) => pending_webhooks)).toEqual([0, 0, 0, 0]);
});

test('when an event arrives, the API has its change, and the receiver can use it (webhooks)', async ({ harness }) => {
  const { emulator, receiver, stripe } = harness;
  const seen: string[] = [];
  receiver.handle = async (event) => {
    if (event.type === 'customer.created') {
      await stripe.invoices.create({ customer: event.data.object.id, ...SEPARATE_INVOICE });
    }
    if (event.type !== 'customer.subscription.created') return;
    const { data } = await stripe.subscriptions.list({ customer: String(event.data.object.customer) });
    seen.push(...data.map(({ status }) => status));
  };
  await emulator.setSubscription('t1', 'trialing');
  expect(seen).toEqual(['trialing']);
  expect(typesOf(harness)).toEqual(['customer.created', 'customer.subscription.created', 'invoice.created']);
});

test('a change, its idempotency key and its undelivered events are on disk when its request is answered', async () => {
  const file = join(temporaryFolder('stripe'), 'stripe.json');
  const before = await startHarness({ file });
  before.receiver.stop();
  const once = { idempotencyKey: 'key-1' };
  const { id } = await before.stripe.customers.create({ metadata: { tenant_id: 't1' } }, once);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ customers: [{ id }] });
  expect(await readdir(dirname(file))).toEqual(['stripe.json']);
  await before.emulator.setSubscription('t1', 'past_due');
  await before.emulator.stop();
  const after = await startHarness({ file });
  expect((await after.stripe.customers.create({ metadata: { tenant_id: 't1' } }, once)).id).toBe(id);
  expect((await after.stripe.subscriptions.list()).data).toMatchObject([{ customer: id, status: 'past_due' }]);
  await after.emulator.advance();
  expect(after.receiver.events.map(({ type }) => type)).toEqual(['customer.created', 'customer.subscription.created']);
});
