import { once } from 'node:events';
import { createServer } from 'node:http';
import Stripe from 'stripe';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { allConfigured, PRICE_ID, STRIPE_SECRETS } from '../../../emulators/stack/service-environment.ts';
import { idSchema, type TenantId } from '../../../shared/base/ids.ts';
import { loadStripe } from '../../../shared/billing/load-stripe.ts';
import { Payments } from '../../../shared/billing/payments.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { loadTenant } from '../../../shared/tenancy/tenants.ts';
import { stripeOf } from '../../support/billing.ts';
import { outcome } from '../../support/client.ts';
import { openInProcess, serveInProcess } from '../../support/in-process.ts';
import { listen } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const stripe = stripeOf(stack);

/** A function that runs before each request to Stripe and gets the URL of the request. */
type Intercept = (url: string) => Promise<void>;

/** Opens the service in this process. Each of its requests to Stripe waits for `intercept`. */
function start(intercept: Intercept = async () => undefined) {
  const httpClient = Stripe.createFetchHttpClient(async (url, init) => {
    await intercept(String(url));
    return fetch(url, init);
  });
  const address = { host: '127.0.0.1', port: portsOf(stack).stripe, protocol: 'http', telemetry: false } as const;
  const load = async () => new Stripe(STRIPE_SECRETS.secretKey, { ...address, httpClient });
  return openInProcess(stack, allConfigured(stack), load);
}

/** Makes a tenant without a stored customer, and subscribed customers at Stripe that have the tenant's id. */
async function makeTenantWithoutCustomer(customers: number) {
  const tenantId = idSchema<TenantId>().parse((await makeTenant(stack, 'none')).id);
  const made = Array.from({ length: customers }, async () => {
    const { id: customer_id } = await stripe.customers.create({ metadata: { tenant_id: tenantId } });
    // The subscription's metadata has no tenant id, so the service ignores Stripe's events about the subscription.
    const { id } = await stripe.subscriptions.create({ customer: customer_id, items: [{ price: PRICE_ID }] });
    return { customer_id, subscription: { id, status: 'active' } };
  });
  return { tenantId, customers: await Promise.all(made) };
}

test('if an event names a different customer than the tenant’s, a warning with the ids of the tenant and the customer is logged', async () => {
  const { services, logged } = start();
  const { store, subscriptions } = services;
  const { tenantId, customers } = await makeTenantWithoutCustomer(2);
  for (const { customer_id } of customers) await subscriptions.apply(tenantId, customer_id);
  expect((await loadTenant(store, tenantId)).billing).toEqual(customers[0]);
  const fields = { tenant_id: tenantId, customer_id: customers[1]?.customer_id };
  const message = 'Stripe event ignored: customer does not match the tenant';
  expect(logged).toEqual([{ severity: 'WARNING', message, ...fields }]);
});

test('events of one tenant that wait for Stripe share one request and do not delay the events of other tenants', async () => {
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
  const [slow, other] = [await makeTenantWithoutCustomer(1), await makeTenantWithoutCustomer(1)];
  const [stuck, free] = [slow.customers[0]?.customer_id ?? '', other.customers[0]?.customer_id ?? ''];
  const requests: string[] = [];
  const { services } = start(async (url) => {
    if (!url.includes('/v1/subscriptions') || !url.includes(stuck)) return;
    requests.push(url);
    await blocked;
  });
  const { store, subscriptions } = services;
  const first = subscriptions.apply(slow.tenantId, stuck);
  await expect.poll(() => requests.length).toBe(1);
  const more = Array.from({ length: 40 }, () => subscriptions.apply(slow.tenantId, stuck));
  await subscriptions.apply(other.tenantId, free);
  expect((await loadTenant(store, other.tenantId)).billing).toEqual(other.customers[0]);
  expect(requests.length).toBe(1);
  release();
  await Promise.all([first, ...more]);
  expect(requests.length).toBe(2);
  expect((await loadTenant(store, slow.tenantId)).billing).toEqual(slow.customers[0]);
});

test('only a limited number of events per tenant wait for Stripe, and the rest fail with unavailable', async () => {
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
  const { tenantId, customers } = await makeTenantWithoutCustomer(1);
  const [own] = customers;
  const { services } = start(() => blocked);
  const { subscriptions } = services;
  const named = [own?.customer_id ?? '', ...Array.from({ length: 20 }, (_, n) => `cus_other${n}`)];
  const outcomes = Promise.allSettled(named.map((customer) => subscriptions.apply(tenantId, customer)));
  await expect(subscriptions.apply(tenantId, 'cus_last')).rejects.toMatchObject({ code: 'unavailable' });
  release();
  const codes = (await outcomes).map((one) => (one.status === 'rejected' ? one.reason.code : 'done'));
  expect(codes).toEqual([...Array(9).fill('done'), ...Array(12).fill('unavailable')]);
});

test('a tenant opens one payment page at a time, and others do not wait for it', async () => {
  const [busy, other] = [await makeTenant(stack, 'none'), await makeTenant(stack, 'none')];
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  const { services } = start(async (url) => {
    if (url.includes('/v1/customers') && held++ === 0) await blocked;
  });
  await using server = await serveInProcess(services, stack);
  const checkout = ({ console }: Tenant) => new Client(server, console.token).send('POST', '/v1/billing/checkout');
  const first = checkout(busy);
  await expect.poll(() => held).toBe(1);
  const second = checkout(busy);
  expect(outcome(await checkout(other))).toBe('200');
  // One call was for the page of the other tenant, so the second page of the busy one has made none.
  expect(held).toBe(2);
  release();
  expect((await Promise.all([first, second])).map(outcome)).toEqual(['200', '200']);
});

test('a call to Stripe that gets no answer fails with unavailable exactly at its deadline', async () => {
  const silent = createServer();
  const config = {
    priceId: 'price',
    returnUrl: 'http://127.0.0.1/billing',
    emulatorHost: `127.0.0.1:${await listen(silent)}`,
  };
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const payments = new Payments(config, () => loadStripe(STRIPE_SECRETS.secretKey, config.emulatorHost));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const received = once(silent, 'request');
  let state = 'waits';
  const opened = payments.openPortal('cus_1').catch((error: unknown) => {
    state = String(Object(error).code);
  });
  await received;
  await vi.advanceTimersByTimeAsync(DEADLINES_MS.stripe - 1);
  expect(state).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  await opened;
  expect(state).toBe('unavailable');
});
