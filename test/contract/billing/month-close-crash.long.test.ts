import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Stack } from '../../../emulators/stack/stack.ts';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { amountsOf, closeMonth, invoicesOf, setSubscription, statementOf, stripeOf } from '../../support/billing.ts';
import type { Addresses } from '../../support/client.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { MINUTE_MS, mendStack, setClock, setFaults } from '../../support/steer.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const PORT = 20_080;
const at: Addresses = { baseUrl: `http://127.0.0.1:${PORT}`, controlUrl: `http://127.0.0.1:${PORT + 9}` };
const stripe = stripeOf(at);
const store = firestoreOf(at);
/** Delays that are long enough to notice that a step has happened and to kill the process before the next step. */
const SLOW = { stripe: { delay_ms: 2_000 }, firestore: { delay_ms: 2_000 } };

let stack: Stack;
let subscribed: Tenant;
let canceled: Tenant;

/** Makes two tenants that each owe $48 a month from October 2026. The subscription of one tenant has ended. */
beforeAll(async () => {
  const flavour = { billing: true, console: true, wrappedRoot: true, transit: true };
  stack = await startStack({ port: PORT, dir: undefined, ...flavour });
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

/** Returns whether an invoice is marked with the tenant and the month, its number of items, and whether it is final. */
async function progress(tenant: Tenant, month: string) {
  const { data } = await stripe.invoices.list({ customer: await customerOf(tenant), limit: 100 });
  const invoice = data.find(({ metadata }) => metadata?.statement === `${tenant.id}_${month}`);
  if (invoice === undefined) return { marked: false, items: 0, final: false };
  const items = await stripe.invoiceItems.list({ invoice: invoice.id });
  return { marked: true, items: items.data.length, final: invoice.status !== 'draft' };
}

type Reached = (tenant: Tenant, month: string) => Promise<boolean>;
const hasStatement: Reached = async ({ id }, month) => (await store.doc(`statements/${id}_${month}`).get()).exists;
const isMarked: Reached = async (tenant, month) => (await progress(tenant, month)).marked;
const hasAnItem: Reached = async (tenant, month) => (await progress(tenant, month)).items >= 1;
const hasAllItems: Reached = async (tenant, month) => (await progress(tenant, month)).items >= 3;
const isFinal: Reached = async (tenant, month) => (await progress(tenant, month)).final;

/** Returns whether the tenant's month is closed. Later runs skip a closed month. */
async function isClosed({ id }: Tenant, monthEnd: Date): Promise<boolean> {
  const nextCloseAt = (await store.doc(`tenants/${id}`).get()).get('next_close_at');
  return !(nextCloseAt.toMillis() <= monthEnd.getTime());
}

const BILLED_AMOUNTS = { byTier: { wrapped: 300, software: 1000, hsm: 3500 }, total: 4800 };

async function expectBilledOnce(tenant: Tenant, month: string, status: string): Promise<void> {
  const invoices = (await invoicesOf(at, tenant.id)).filter(({ period }) => period === month);
  expect(invoices.map((invoice) => [invoice.status, amountsOf(invoice)])).toEqual([[status, BILLED_AMOUNTS]]);
  const session = await signIn(at, tenant.subject);
  expect((await statementOf(session, month)).total_cents).toBe('4800');
}

/** Each month is closed until a step is reached. Then the process is killed before the next call, which is delayed. */
test.each<[string, string, () => Tenant, string, keyof typeof SLOW, Reached]>([
  ['before the statement is stored', 'the draft', () => subscribed, '2026-10', 'firestore', async () => true],
  ['after the statement is stored', 'the draft', () => subscribed, '2026-11', 'stripe', hasStatement],
  ['after the draft is marked with the month', 'the draft', () => subscribed, '2026-12', 'stripe', isMarked],
  ['after the first invoice item', 'the draft', () => subscribed, '2027-01', 'stripe', hasAnItem],
  ['after the last invoice item', 'the draft', () => subscribed, '2027-02', 'stripe', hasAllItems],
  ['after the invoice is finalized', 'the draft', () => subscribed, '2027-03', 'firestore', isFinal],
  ['after the separate invoice is created', 'a separate', () => canceled, '2027-04', 'stripe', isMarked],
  ['after the last invoice item', 'a separate', () => canceled, '2027-05', 'stripe', hasAllItems],
])(
  'if the process crashes %s, the next run bills the month exactly once, on %s invoice',
  async (_step, _invoice, tenantOf, month, next, reached) => {
    const tenant = tenantOf();
    const end = new Date(`${month}-01T00:00:00Z`);
    end.setUTCMonth(end.getUTCMonth() + 1);
    await setClock(at, new Date(end.getTime() + 20 * MINUTE_MS).toISOString());
    await setFaults(at, { [next]: SLOW[next] });
    const interruptedRun = closeMonth(at).catch(() => undefined);
    await expect.poll(() => reached(tenant, month), { interval: 20 }).toBe(true);
    const crashed = stack.crashService();
    // Requests that the killed process has already sent must not take effect.
    await setFaults(at, { stripe: 'down', firestore: 'down' });
    await crashed;
    expect(await interruptedRun).toBeUndefined();
    await setFaults(at, { stripe: null, firestore: null });
    expect(await isClosed(tenant, end)).toBe(false);
    expect((await closeMonth(at)).failed).toBe(0);
    for (const each of [subscribed, canceled]) expect(await isClosed(each, end)).toBe(true);
    await expectBilledOnce(subscribed, month, 'paid');
    await expectBilledOnce(canceled, month, 'open');
  },
);
