import { Firestore } from '@google-cloud/firestore';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { PROJECT_ID } from '../../../emulators/base/repository.ts';
import type { Stack } from '../../../emulators/stack/stack.ts';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { amountsOf, closeMonth, invoicesOf, setSubscription, statementOf, stripeOf } from '../../support/billing.ts';
import type { Addresses } from '../../support/client.ts';
import { mendStack, setClock, setFaults } from '../../support/steer.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const PORT = 20_080;
/** The addresses of the stack. */
const at: Addresses = { baseUrl: `http://127.0.0.1:${PORT}`, controlUrl: `http://127.0.0.1:${PORT + 9}` };
const stripe = stripeOf(at);
const store = new Firestore({
  projectId: PROJECT_ID,
  host: `127.0.0.1:${PORT + 5}`,
  ssl: false,
  // With this token, the emulator treats the client as a server, to which no security rules apply.
  customHeaders: { Authorization: 'Bearer owner' },
});
/** Delays that are long enough to notice that a step has happened and to kill the process before the next step. */
const SLOW = { stripe: { delay_ms: 700 }, firestore: { delay_ms: 2_000 } };

let stack: Stack;
let subscribed: Tenant;
let canceled: Tenant;

/** Makes two tenants that each owe $48 a month from October 2026. The subscription of one tenant has ended. */
beforeAll(async () => {
  stack = await startStack({
    port: PORT,
    dir: undefined,
    billing: true,
    console: true,
    wrappedRoot: true,
    transit: true,
  });
  await setClock(at, '2026-10-01T12:00:00Z');
  [subscribed, canceled] = [await makeTenant(at), await makeTenant(at)];
  for (const tenant of [subscribed, canceled]) {
    for (const tier of ['wrapped', 'software', 'hsm'] as const) await tenant.createKey(tier);
  }
  await setSubscription(at, canceled.id, 'canceled');
});
afterEach(() => mendStack(at));
afterAll(async () => {
  await store.terminate();
  await stack?.stop();
});

async function customerOf({ id }: Tenant): Promise<string> {
  const { data } = await stripe.customers.list({ limit: 100 });
  return data.find(({ metadata }) => metadata.tenant_id === id)?.id ?? '';
}

/**
 * Returns whether Stripe has an invoice that is marked with the tenant and the month, the number of its items, and
 * whether it is finalized.
 */
async function progress(tenant: Tenant, month: string) {
  const { data } = await stripe.invoices.list({ customer: await customerOf(tenant), limit: 100 });
  const invoice = data.find(({ metadata }) => metadata?.statement === `${tenant.id}_${month}`);
  if (invoice === undefined) return { marked: false, items: 0, final: false };
  const items = await stripe.invoiceItems.list({ invoice: invoice.id });
  return { marked: true, items: items.data.length, final: invoice.status !== 'draft' };
}

const isMarked = async (tenant: Tenant, month: string) => (await progress(tenant, month)).marked;
const hasAnItem = async (tenant: Tenant, month: string) => (await progress(tenant, month)).items >= 1;
const hasAllItems = async (tenant: Tenant, month: string) => (await progress(tenant, month)).items >= 3;
const isFinal = async (tenant: Tenant, month: string) => (await progress(tenant, month)).final;

async function hasStatement({ id }: Tenant, month: string): Promise<boolean> {
  return (await store.doc(`statements/${id}_${month}`).get()).exists;
}

/** Returns whether the tenant's month is closed. Later runs skip a closed month. */
async function isClosed({ id }: Tenant, monthEnd: string): Promise<boolean> {
  const nextCloseAt = (await store.doc(`tenants/${id}`).get()).get('next_close_at');
  return !(nextCloseAt.toMillis() <= Date.parse(monthEnd));
}

/** Starts to close the month, kills the process after the step, and closes the month in a new process. */
async function crashAt(tenant: Tenant, [, month, monthEnd, next, reached]: Step): Promise<void> {
  await setClock(at, monthEnd.replace('00:00:00', '00:20:00'));
  await setFaults(at, { [next]: SLOW[next] });
  const interruptedRun = closeMonth(at).catch(() => undefined);
  await expect.poll(() => reached(tenant, month), { interval: 20 }).toBe(true);
  const crashed = stack.crashService();
  // Requests that the killed process has already sent must not take effect.
  await setFaults(at, { stripe: 'down', firestore: 'down' });
  await crashed;
  expect(await interruptedRun).toBeUndefined();
  await setFaults(at, { stripe: null, firestore: null });
  expect(await isClosed(tenant, monthEnd)).toBe(false);
  expect((await closeMonth(at)).failed).toBe(0);
  for (const each of [subscribed, canceled]) expect(await isClosed(each, monthEnd)).toBe(true);
}

const BILLED_AMOUNTS = { byTier: { wrapped: 300, software: 1000, hsm: 3500 }, total: 4800 };

async function expectBilledOnce(tenant: Tenant, month: string, status: string): Promise<void> {
  const invoices = (await invoicesOf(at, tenant.id)).filter(({ period }) => period === month);
  expect(invoices.map((invoice) => [invoice.status, amountsOf(invoice)])).toEqual([[status, BILLED_AMOUNTS]]);
  const session = await signIn(at, tenant.subject);
  expect((await statementOf(session, month)).total_cents).toBe('4800');
}

type Step = readonly [
  step: string,
  month: string,
  monthEnd: string,
  /** The service that the next step calls. The test delays its answers, to kill the process before that step. */
  next: 'stripe' | 'firestore',
  reached: (tenant: Tenant, month: string) => Promise<boolean>,
];

const ON_THE_DRAFT: readonly Step[] = [
  ['before the statement is stored', '2026-10', '2026-11-01T00:00:00Z', 'firestore', async () => true],
  ['after the statement is stored', '2026-11', '2026-12-01T00:00:00Z', 'stripe', hasStatement],
  ['after the draft invoice is marked with the month', '2026-12', '2027-01-01T00:00:00Z', 'stripe', isMarked],
  ['after the first invoice item', '2027-01', '2027-02-01T00:00:00Z', 'stripe', hasAnItem],
  ['after the last invoice item', '2027-02', '2027-03-01T00:00:00Z', 'stripe', hasAllItems],
  ['after the invoice is finalized', '2027-03', '2027-04-01T00:00:00Z', 'firestore', isFinal],
];
const ON_A_SEPARATE_INVOICE: readonly Step[] = [
  ['after the separate invoice is created', '2027-04', '2027-05-01T00:00:00Z', 'stripe', isMarked],
  ['after the last invoice item', '2027-05', '2027-06-01T00:00:00Z', 'stripe', hasAllItems],
];

test.each(ON_THE_DRAFT)(
  'if the process crashes %s, the next run bills the month exactly once, on the draft invoice of the new period',
  async (...step) => {
    const [, month] = step;
    await crashAt(subscribed, step);
    await expectBilledOnce(subscribed, month, 'paid');
    await expectBilledOnce(canceled, month, 'open');
  },
);

test.each(ON_A_SEPARATE_INVOICE)(
  'if the process crashes %s, the next run bills the month exactly once, on a separate invoice',
  async (...step) => {
    const [, month] = step;
    await crashAt(canceled, step);
    await expectBilledOnce(subscribed, month, 'paid');
    await expectBilledOnce(canceled, month, 'open');
  },
);
