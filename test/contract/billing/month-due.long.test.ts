import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { countRoundTrips } from '../../../functions/local/round-trips.ts';
import { HOUR_US, type Instant, MINUTE_US } from '../../../shared/base/clock.ts';
import { makeId } from '../../../shared/base/ids.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';
import { closeMonths } from '../../../shared/billing/close-month.ts';
import { closeTenant, type Run, skipUnbilled } from '../../../shared/billing/close-tenant.ts';
import type { Tenant } from '../../../shared/tenancy/tenant.ts';
import { loadTenant } from '../../../shared/tenancy/tenants.ts';
import { aKey } from '../../shared/keys/a-key.ts';
import { stripeOf } from '../../support/billing.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { type InProcess, openInProcess } from '../../support/in-process.ts';
import { ownStack } from '../../support/own-stack.ts';
import { storeKeys, storeTenants } from '../../support/stored.ts';

const stack = ownStack();
const trips = countRoundTrips();
let db: Firestore;
let service: InProcess;
beforeAll(() => {
  db = firestoreOf(stack);
  service = openInProcess(stack, allConfigured(stack));
});
afterAll(() => db.terminate());

const instant = (text: string): Instant => parseInstant(text) ?? expect.unreachable();
const JULY = instant('2026-07-01T00:00:00Z');
const SEPTEMBER = instant('2026-09-01T00:00:00Z');
const NOVEMBER = instant('2026-11-01T00:00:00Z');
const DECEMBER = instant('2026-12-01T00:00:00Z');

/** Returns a tenant document whose oldest open month ends at `next_close_at`. */
function aTenant(next_close_at: Instant, billing: Tenant['billing'] = null): Tenant {
  return {
    ...{ id: makeId(), name: null, default_container_id: makeId(), created_at: JULY, billing, stripe_check_at: null },
    ...{ next_close_at, close_attempt_at: next_close_at, close_failures: 0 },
  };
}

/** Stores tenants, and deletes them when the calling test ends. */
async function store(tenants: readonly Tenant[]): Promise<void> {
  await storeTenants(stack, tenants);
  onTestFinished(() => remove(tenants));
}

async function remove(tenants: readonly Tenant[]): Promise<void> {
  const commit = db.batch();
  for (const { id } of tenants) commit.delete(db.doc(`tenants/${id}`));
  await commit.commit();
}

/** Stores an invalid statement, so that the month cannot be closed. */
async function storeInvalidStatement(tenants: readonly Tenant[], month: string): Promise<void> {
  for (const { id } of tenants) await db.doc(`statements/${id}_${month}`).set({});
}

/** Stores tenants with a paid key since July, whose month of August cannot be closed. */
async function storeFailing(count: number): Promise<Tenant[]> {
  const tenants = Array.from({ length: count }, (_, n) =>
    aTenant(SEPTEMBER, { customer_id: `cus_nobody${n}`, subscription: null }),
  );
  await store(tenants);
  const keys = tenants.map(({ id }) => ({ key: aKey({ tenant_id: id, created_at: JULY }), ops: 0 }));
  await storeKeys(stack, keys, '2026-08');
  await storeInvalidStatement(tenants, '2026-08');
  return tenants;
}

async function storeCustomer(next_close_at: Instant, subscription: { id: string; status: string } | null = null) {
  const { id: customer_id } = await stripeOf(stack).customers.create({});
  const tenant = aTenant(next_close_at, { customer_id, subscription });
  await store([tenant]);
  return { tenant, customer: customer_id };
}

const stored = ({ id }: Tenant) => loadTenant(service.services.store, id);

/** Runs close-month with the clock at `now`. Returns its summary and its log lines. */
async function runAt(now: string) {
  service.setClock(now);
  const before = service.logged.length;
  const summary = await closeMonths(service.services);
  return { summary, logged: service.logged.slice(before) };
}

test('if closing a month fails, close-month retries with doubling delays and still closes the months of other tenants', async () => {
  const failing = await storeFailing(20);
  const { tenant: first } = await storeCustomer(NOVEMBER);
  expect((await runAt('2026-11-01T00:20:00Z')).summary).toEqual({ closed: 1, failed: 20 });
  expect(await stored(first)).toMatchObject({ next_close_at: DECEMBER, close_attempt_at: DECEMBER });

  const { tenant: second } = await storeCustomer(NOVEMBER);
  expect((await runAt('2026-11-01T00:21:00Z')).summary).toEqual({ closed: 1, failed: 20 });
  expect(await stored(second)).toMatchObject({ next_close_at: DECEMBER });

  const failed = [];
  for (const minute of ['24', '26', '33', '35', '50', '52']) {
    failed.push((await runAt(`2026-11-01T00:${minute}:00Z`)).summary.failed);
  }
  expect(failed).toEqual([0, 20, 0, 20, 0, 20]);
  for (const tenant of failing)
    expect(await stored(tenant)).toMatchObject({ close_failures: 5, next_close_at: SEPTEMBER });
});

test('even after many failures to close a month, close-month retries within about six hours', async () => {
  const { tenant } = await storeCustomer(NOVEMBER);
  await storeKeys(stack, [{ key: aKey({ tenant_id: tenant.id }), ops: 0 }], '2026-10');
  await storeInvalidStatement([tenant], '2026-10');
  await db.doc(`tenants/${tenant.id}`).update({ close_failures: 60 });
  expect((await runAt('2026-11-01T12:00:00Z')).summary).toEqual({ closed: 0, failed: 1 });
  const postponed = await stored(tenant);
  expect(postponed.close_failures).toBe(61);
  expect(postponed.close_attempt_at).toBeLessThanOrEqual(instant('2026-11-01T12:00:00Z') + 6 * HOUR_US + MINUTE_US);

  await db.doc(`statements/${tenant.id}_2026-10`).delete();
  expect((await runAt('2026-11-01T18:30:00Z')).summary).toEqual({ closed: 1, failed: 0 });
  expect(await stored(tenant)).toMatchObject({
    next_close_at: DECEMBER,
    close_attempt_at: DECEMBER,
    close_failures: 0,
  });
});

test('close-month logs the age of the oldest due month, but its summary does not contain this age', async () => {
  const failing = await storeFailing(1);
  await storeCustomer(NOVEMBER);
  for (const [now, failed] of [
    ['2026-11-01T00:20:00Z', 1],
    ['2026-11-01T00:21:00Z', 1],
    ['2026-11-01T00:22:00Z', 0],
  ] as const) {
    const { summary, logged } = await runAt(now);
    expect(Object.keys(summary)).toEqual(['closed', 'failed']);
    const [severity, message] =
      failed > 0 ? ['ERROR', 'close-month finished with failures'] : ['INFO', 'close-month finished'];
    expect(logged.at(-1)).toMatchObject({ severity, message, ...summary, failed });
    const age = Number(logged.at(-1)?.oldest_due_s);
    expect(age).toBeGreaterThanOrEqual((Date.parse(now) - SEPTEMBER / 1000) / 1000);
    expect(age).toBeLessThan((Date.parse(now) - Date.parse('2026-08-31T00:00:00Z')) / 1000);
  }
  await remove(failing);
  expect((await runAt('2026-11-01T00:23:00Z')).logged).toMatchObject([{ severity: 'INFO', oldest_due_s: 0 }]);
});

test('one run of close-month closes all due months, and skips any number of tenants that have no Stripe customer', async () => {
  const tenants = Array.from({ length: 2_100 }, (_, n) => aTenant(n === 0 ? SEPTEMBER : NOVEMBER));
  await store(tenants);
  const before = { ...trips };
  expect((await runAt('2026-11-01T00:20:00Z')).summary).toEqual({ closed: 2_102, failed: 0 });
  const { read, query, commit, transaction } = trips;
  const newTrips = { read: read - before.read, query: query - before.query, commit: commit - before.commit };
  // Queries: three pages, the oldest due month, the subscriptions to compare. A full page takes five commits, the last one.
  expect(newTrips).toEqual({ read: 0, query: 5, commit: 11 });
  expect(transaction).toBe(before.transaction);
  for (const tenant of tenants.slice(0, 2)) {
    expect(await stored(tenant)).toEqual({ ...tenant, next_close_at: DECEMBER, close_attempt_at: DECEMBER });
  }
  expect((await runAt('2026-11-01T00:21:00Z')).summary).toEqual({ closed: 0, failed: 0 });
});

/** A run that started at this time, and has some seconds left. */
const aRun = (startedAt: string, leftMs = 60_000): Run => ({
  startedAt: instant(startedAt),
  giveUpAt: performance.now() + leftMs,
});

/** Skips tenants without a customer at Stripe, as they were found before. */
function skip(found: readonly Tenant[]) {
  service.setClock('2026-11-01T00:20:00Z');
  return skipUnbilled(service.services, found, aRun('2026-11-01T00:20:00Z'));
}

test('if a tenant gets a customer at Stripe while close-month is skipping the tenant, the tenant keeps the customer', async () => {
  const found = aTenant(NOVEMBER);
  const billing = { customer_id: 'cus_new', subscription: null };
  await store([{ ...found, billing }]);
  expect(await skip([found])).toEqual({ closed: 1, failed: 0 });
  expect(await stored(found)).toMatchObject({ billing, next_close_at: DECEMBER, close_attempt_at: DECEMBER });
});

test('if an error prevents close-month from skipping one tenant, the other tenants are still skipped', async () => {
  const [one, other, missing] = [aTenant(NOVEMBER), aTenant(NOVEMBER), aTenant(NOVEMBER)];
  await store([one, other]);
  expect(await skip([one, missing, other])).toEqual({ closed: 2, failed: 1 });
  for (const tenant of [one, other]) expect(await stored(tenant)).toMatchObject({ next_close_at: DECEMBER });
});

test('close-month does not start to close another month after its time has run out', async () => {
  const { tenant } = await storeCustomer(NOVEMBER);
  service.setClock('2026-11-01T00:20:00Z');
  const late = aRun('2026-11-01T00:20:00Z', 0);
  expect(await closeTenant(service.services, tenant, late)).toEqual({ closed: 0, failed: 0 });
  expect(await stored(tenant)).toMatchObject({ next_close_at: NOVEMBER });
  expect((await runAt('2026-11-01T00:20:00Z')).summary).toEqual({ closed: 1, failed: 0 });
});

test('a run that started before a month ended does not close the month', async () => {
  const { tenant } = await storeCustomer(NOVEMBER);
  service.setClock('2026-11-01T00:00:02Z');
  const before = aRun('2026-10-31T23:35:00Z');
  expect(await closeTenant(service.services, tenant, before)).toEqual({ closed: 0, failed: 0 });
  expect(await stored(tenant)).toMatchObject({ next_close_at: NOVEMBER });
});

test('close-month corrects subscriptions whose webhooks were missed before it closes the month', async () => {
  const stripe = stripeOf(stack);
  const [missed, ended] = [
    await storeCustomer(NOVEMBER),
    await storeCustomer(NOVEMBER, { id: 'sub_gone', status: 'active' }),
  ];
  // The metadata of these subscriptions has no tenant id, so the service ignores Stripe's events about them.
  const { id } = await stripe.subscriptions.create({ customer: missed.customer, items: [{ price: 'price_local' }] });
  await stripe.subscriptions.create({ customer: ended.customer, items: [{ price: 'price_other' }] });
  expect((await runAt('2026-11-01T00:20:00Z')).summary).toEqual({ closed: 2, failed: 0 });
  expect((await stored(missed.tenant)).billing).toEqual({
    customer_id: missed.customer,
    subscription: { id, status: 'active' },
  });
  expect((await stored(ended.tenant)).billing).toEqual({ customer_id: ended.customer, subscription: null });
});
