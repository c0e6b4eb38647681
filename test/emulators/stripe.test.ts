import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Stripe from 'stripe';
import { test as base, expect, expectTypeOf } from 'vitest';
import type * as Emulated from '../../emulators/stripe/objects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { at, connect, customerOf, type Harness, priceId, startHarness, unix } from './stripe-harness.ts';

// The behavior of Stripe on which the service relies. A source is a page of https://docs.stripe.com.

const OCTOBER = '2026-10-20T09:00:00Z';
const NOVEMBER = '2026-11-01T00:00:05Z';
const test = base.extend('harness', () => startHarness());
const typesOf = ({ receiver }: Pick<Harness, 'receiver'>) => receiver.events.map(({ type }) => type);

/** Starts an emulator in which the tenant `t1` has had a subscription since October. */
const startSubscribed = async (status: Emulated.SubscriptionStatus = 'active') => {
  const harness = await startHarness({ clock: { now: at(OCTOBER) } });
  await harness.emulator.setSubscription('t1', status);
  return { ...harness, customer: await customerOf(harness) };
};

/** Like `startSubscribed`, but at the start of November. `addItem` adds an item to the new draft invoice. */
const startAtMonthStart = async (status: Emulated.SubscriptionStatus = 'active') => {
  const harness = await startSubscribed(status);
  const { clock, customer, stripe } = harness;
  clock.now = at(NOVEMBER);
  const invoice = (await stripe.invoices.list()).data[0]?.id ?? '';
  const addItem = (amount: number) =>
    stripe.invoiceItems.create({ customer, invoice, currency: 'usd', amount, description: 'orders' });
  return { ...harness, addItem };
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
  'an unknown parameter': [
    { statusCode: 400, code: 'parameter_unknown', param: 'balance' },
    ({ stripe }) => stripe.customers.create({ balance: 5 }),
  ],
  'a missing parameter': [
    { statusCode: 400, code: 'parameter_missing', param: 'customer' },
    ({ stripe }) => stripe.rawRequest('POST', '/v1/billing_portal/sessions'),
  ],
  'half a cent': [
    { statusCode: 400, param: 'amount' },
    ({ stripe }) => stripe.invoiceItems.create({ customer: 'cus_x', invoice: 'in_x', currency: 'usd', amount: 1.5 }),
  ],
  'a checkout whose periods start at any time': [
    { statusCode: 400, param: 'subscription_data[billing_cycle_anchor_config]' },
    async (harness) =>
      harness.stripe.checkout.sessions.create({
        ...{ mode: 'subscription', customer: await customerOf(harness), client_reference_id: 't1' },
        line_items: [{ price: priceId, quantity: 1 }],
        subscription_data: { metadata: { tenant_id: 't1' }, proration_behavior: 'none' },
        ...{ success_url: 'https://console.example/done', cancel_url: 'https://console.example/left' },
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
  const { addItem, clock, emulator } = await startAtMonthStart();
  for (const now of [OCTOBER, '2026-11-01T01:00:04Z']) {
    clock.now = at(now);
    await emulator.advance();
    expect(emulator.invoices('t1')).toMatchObject([{ status: 'draft' }]);
    await addItem(300);
  }
  clock.now = at('2026-11-01T01:00:05Z');
  await emulator.advance();
  const lines = Array(2).fill({ amount: 300, description: 'orders' });
  expect(emulator.invoices('t1')).toMatchObject([{ period: '2026-10', status: 'paid', lines, total: 600 }]);
  await expect(addItem(1)).rejects.toMatchObject({ statusCode: 400, code: 'invoice_not_editable' });
});

test('an invoice whose payment fails stays open, but one of $0 is paid (billing/invoices/workflow-transitions)', async () => {
  const { addItem, clock, emulator } = await startAtMonthStart('past_due');
  await addItem(500);
  for (const now of ['2026-12-01T02:00:00Z', '2026-12-01T03:00:00Z']) {
    clock.now = at(now);
    await emulator.advance();
  }
  expect(emulator.invoices('t1').map(({ status, total }) => `${status} ${total}`)).toEqual(['open 500', 'paid 0']);
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
