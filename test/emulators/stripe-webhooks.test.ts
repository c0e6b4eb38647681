import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { startStripe } from '../../emulators/stripe/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { at, priceId, SEPARATE_INVOICE, secretKey, startHarness, unix, webhookSecret } from './stripe-harness.ts';

test('an event has the time of the clock and the shape of a Stripe event', async () => {
  const { clock, emulator, receiver } = await startHarness();
  clock.now = at('2026-03-01T00:00:00.999Z');
  await emulator.setSubscription('t1', 'active');
  expect(receiver.events[0]).toMatchObject({
    object: 'event',
    api_version: '2026-10-28.endive',
    created: unix('2026-03-01T00:00:00Z'),
    livemode: false,
    pending_webhooks: 1,
    request: null,
    type: 'customer.created',
    data: { object: { object: 'customer', metadata: { tenant_id: 't1' } } },
  });
  expect(receiver.events[0]?.id).toMatch(/^evt_\w+$/);
});

test('the signature of a webhook does not verify with a wrong secret or a changed payload', async () => {
  const received: { payload: string; signature: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ payload: await text(request), signature: String(request.headers['stripe-signature']) });
    response.end();
  });
  await listen(server, 0);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const webhookUrl = `http://127.0.0.1:${portOf(server)}/`;
  const emulator = await startStripe({ port: 0, now: Date.now, secretKey, webhookSecret, priceId, webhookUrl });
  onTestFinished(() => emulator.stop());
  await emulator.setSubscription('t1', 'active');
  const { payload = '', signature = '' } = received[0] ?? {};
  const { webhooks } = new Stripe(secretKey);
  expect(webhooks.constructEvent(payload, signature, webhookSecret).type).toBe('customer.created');
  expect(() => webhooks.constructEvent(payload, signature, 'whsec_other')).toThrow('signature');
  expect(() => webhooks.constructEvent(`${payload} `, signature, webhookSecret)).toThrow('signature');
});

test('a webhook is sent again, up to three times in all, until the answer is 2xx', async () => {
  const { emulator, receiver } = await startHarness();
  receiver.statuses = [500, 302];
  await emulator.setSubscription('t1', 'active');
  expect(receiver.events.map(({ type }) => type)).toEqual(['customer.created', 'customer.subscription.created']);
});

test('a webhook that is refused three times is sent again with the next event', async () => {
  const { emulator, receiver, stripe } = await startHarness();
  receiver.statuses = [500, 500, 500];
  await emulator.setSubscription('t1', 'active');
  expect(receiver.events.map(({ type }) => type)).toEqual(['customer.subscription.created']);
  const [created] = (await stripe.events.list({ type: 'customer.created' })).data;
  expect(created?.pending_webhooks).toBe(1);
  await emulator.setSubscription('t1', 'past_due');
  expect(receiver.events.map(({ type }) => type)).toEqual([
    'customer.subscription.created',
    'customer.created',
    'customer.subscription.updated',
  ]);
  expect((await stripe.events.list()).data.map(({ pending_webhooks }) => pending_webhooks)).toEqual([0, 0, 0]);
});

test('a change succeeds even if the webhook endpoint is unreachable, and its webhooks are sent later, even after a restart', async () => {
  const file = join(temporaryFolder('stripe'), 'stripe.json');
  const before = await startHarness({ file });
  await before.receiver.stop();
  await before.emulator.setSubscription('t1', 'active');
  expect((await before.stripe.subscriptions.list()).data).toMatchObject([{ status: 'active' }]);
  await before.emulator.stop();
  const after = await startHarness({ file });
  await after.emulator.advance();
  expect(after.receiver.events.map(({ type }) => type)).toEqual(['customer.created', 'customer.subscription.created']);
});

test('when an event is received, the API already returns the changed object', async () => {
  const { emulator, receiver, stripe } = await startHarness();
  const seen: string[] = [];
  receiver.handle = async (event) => {
    if (event.type === 'customer.subscription.created') {
      const { data } = await stripe.subscriptions.list({ customer: String(event.data.object.customer) });
      seen.push(...data.map(({ status }) => status));
    }
  };
  await emulator.setSubscription('t1', 'trialing');
  expect(seen).toEqual(['trialing']);
});

test('if the receiver of an event causes other events, setSubscription resolves only after these are delivered', async () => {
  const { emulator, receiver, stripe } = await startHarness();
  receiver.handle = async (event) => {
    if (event.type === 'customer.created') {
      await stripe.invoices.create({ customer: event.data.object.id, ...SEPARATE_INVOICE });
    }
  };
  await emulator.setSubscription('t1', 'active');
  expect(receiver.events.map(({ type }) => type)).toEqual([
    'customer.created',
    'customer.subscription.created',
    'invoice.created',
  ]);
});

test('events are listed newest first, and can be listed by type', async () => {
  const { emulator, stripe } = await startHarness();
  await emulator.setSubscription('t1', 'active');
  await emulator.setSubscription('t1', 'none');
  const types = async (params: Stripe.EventListParams = {}) =>
    (await stripe.events.list(params)).data.map(({ type }) => type);
  expect(await types()).toEqual(['customer.subscription.deleted', 'customer.subscription.created', 'customer.created']);
  expect(await types({ type: 'customer.created' })).toEqual(['customer.created']);
});

test('a delivered event is forgotten after 30 days', async () => {
  const { clock, emulator, stripe } = await startHarness();
  await emulator.setSubscription('t1', 'paused');
  clock.now = at('2026-12-15T12:00:01Z');
  expect((await stripe.events.list()).data).toEqual([]);
});
