import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { ROOT } from '../../sources.ts';
import { amountsOf, closeMonth, invoicesOf, setSubscription, stripeOf } from '../../support/billing.ts';
import { text } from '../../support/client.ts';
import { setCount } from '../../support/counts.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { startTestStack, type TestStack } from '../../support/stacks.ts';
import { mendStack, setClock } from '../../support/steer.ts';
import { ALL_TIERS, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { backUp, type Checking, findingsAbout, openChecking } from './checking.ts';

const stack = ownStack();
const run = promisify(execFile);
const NOVEMBER = '2026-11-01T00:20:00Z';

let db: Firestore;
let checking: Checking;
beforeAll(() => {
  db = firestoreOf(stack);
});
afterAll(() => db.terminate());
beforeEach(() => {
  checking = openChecking(stack);
});

/** Makes a tenant with two paid keys in October. `restore` reverts it to its state before October was closed. */
async function makePayer() {
  await setClock(stack, '2026-10-01T12:00:00Z');
  const tenant = await makeTenant(stack);
  for (const tier of ['wrapped', 'hsm'] as const) await tenant.createKey(tier);
  const statement = `statements/${tenant.id}_2026-10`;
  const restore = await backUp(db, `tenants/${tenant.id}`, statement);
  await setClock(stack, NOVEMBER);
  checking.setClock(NOVEMBER);
  return { tenant, statement, restore };
}

async function findingsOf(tenant: Tenant) {
  return findingsAbout(await checking.run(), tenant);
}

test('check-store reports neither an open nor a closed month if the store and Stripe agree', async () => {
  const { tenant } = await makePayer();
  expect(await findingsOf(tenant)).toEqual([]);
  await closeMonth(stack);
  expect(await findingsOf(tenant)).toEqual([]);
});

test('check-store reports a month that is invoiced at Stripe but open in the store, and close-month does not invoice it again', async () => {
  const { tenant, restore } = await makePayer();
  await closeMonth(stack);
  await restore();
  const charged = 'hsm 3500, wrapped 300';
  expect(await findingsOf(tenant)).toMatchObject([{ kind: 'month-open', about: { month: '2026-10', charged } }]);
  // Three days later, Stripe has forgotten the idempotency keys that would prevent a second invoice.
  await setClock(stack, '2026-11-04T00:20:00Z');
  checking.setClock('2026-11-04T00:20:00Z');
  await closeMonth(stack);
  expect((await invoicesOf(stack, tenant.id)).map(amountsOf)).toEqual([
    { byTier: { wrapped: 300, hsm: 3500 }, total: 3800 },
  ]);
  expect(await findingsOf(tenant)).toEqual([]);
});

test('check-store reports a closed month that is not invoiced', async () => {
  const { tenant, statement } = await makePayer();
  const other = await makeTenant(stack);
  await closeMonth(stack);
  const month = (await db.doc(statement).get()).data();
  await db.doc(`statements/${other.id}_2026-10`).set({ ...month, tenant_id: other.id });
  await db.doc(`tenants/${other.id}`).update({ next_close_at: new Date('2026-12-01T00:00:00Z') });
  expect(await findingsOf(other)).toMatchObject([
    { kind: 'month-not-invoiced', about: { month: '2026-10', owed: 'hsm 3500, wrapped 300' } },
  ]);
  expect(await findingsOf(tenant)).toEqual([]);
});

test('check-store reports a month whose statement and invoice differ', async () => {
  const { tenant, statement } = await makePayer();
  await closeMonth(stack);
  await db.doc(statement).update({ parts: [{ tier: 'hsm', cents: 3500 }] });
  expect(await findingsOf(tenant)).toMatchObject([
    { kind: 'invoice-differs', about: { owed: 'hsm 3500', charged: 'hsm 3500, wrapped 300' } },
  ]);
});

test('check-store reports a month that is invoiced twice', async () => {
  const { tenant } = await makePayer();
  await closeMonth(stack);
  const stripe = stripeOf(stack);
  const [first] = await invoicesOf(stack, tenant.id);
  const { customer, metadata } = await stripe.invoices.retrieve(first?.id ?? '');
  if (typeof customer !== 'string' || metadata === null) throw new Error('the invoice has no customer');
  const options = { auto_advance: false, pending_invoice_items_behavior: 'exclude' } as const;
  const invoice = await stripe.invoices.create({ customer, metadata, ...options });
  const again = { ...metadata, tier: 'hsm' };
  await stripe.invoiceItems.create({ customer, invoice: invoice.id, amount: 3500, currency: 'usd', metadata: again });
  expect(await findingsOf(tenant)).toMatchObject([{ kind: 'month-invoiced-twice', about: { month: '2026-10' } }]);
});

test('check-store reports a subscription whose status differs at Stripe, and --adopt stores the status from Stripe', async () => {
  const tenant = await makeTenant(stack);
  const restore = await backUp(db, `tenants/${tenant.id}`);
  await setSubscription(stack, tenant.id, 'unpaid');
  await restore();
  expect(await findingsOf(tenant)).toMatchObject([
    {
      kind: 'subscription-differs',
      about: { stored: expect.stringContaining('(active)'), at_stripe: expect.stringContaining('(unpaid)') },
    },
  ]);
  expect(await checking.kindsOf(tenant, { adopt: true })).toEqual(['adopted subscription-differs']);
  expect(await checking.kindsOf(tenant)).toEqual([]);
});

test('check-store reports a subscription whose customer is missing in the store, and --adopt stores the customer', async () => {
  const tenant = await makeTenant(stack, 'none');
  const restore = await backUp(db, `tenants/${tenant.id}`);
  await setSubscription(stack, tenant.id, 'active');
  await restore();
  expect(await findingsOf(tenant)).toMatchObject([{ kind: 'customer-differs' }]);
  expect(await checking.kindsOf(tenant, { adopt: true })).toEqual(['adopted customer-differs']);
  expect(await checking.kindsOf(tenant)).toEqual([]);
  await tenant.createKey('wrapped');
});

test('check-store reports a subscription whose customer at Stripe differs from the stored customer', async () => {
  const tenant = await makeTenant(stack);
  await db.doc(`tenants/${tenant.id}`).update({ 'billing.customer_id': 'cus_other' });
  expect(await checking.kindsOf(tenant)).toEqual(['customer-differs', 'customer-differs']);
  await mendStack(stack);
});

test('check-store reports a subscription of a tenant that is missing in the store', async () => {
  const tenant = await makeTenant(stack);
  const restore = await backUp(db, `tenants/${tenant.id}`);
  await db.doc(`tenants/${tenant.id}`).delete();
  expect(await checking.kindsOf(tenant)).toEqual(['customer-differs']);
  await restore();
});

describe('check-store on a new stack', () => {
  let fresh: TestStack;
  let busyChecking: Checking;
  let tenants: Tenant[];
  beforeAll(async () => {
    // The stack must be new. In a shared stack, the KMS and Stripe have objects that are not in the store, which
    // check-store would report.
    fresh = await startTestStack();
    busyChecking = openChecking(fresh);
    await setClock(fresh, '2026-10-20T12:00:00Z');
    tenants = [await makeTenant(fresh), await makeTenant(fresh), await makeTenant(fresh)];
    for (const { createKey } of tenants) for (const tier of ALL_TIERS) await createKey(tier);
    await setClock(fresh, '2026-11-01T00:20:00Z');
    await closeMonth(fresh);
    await mendStack(fresh);
  });
  afterAll(() => fresh.stop());

  /** Uses and changes the keys of a tenant until `hasEnded` returns true. */
  async function keepBusy(tenant: Tenant, hasEnded: () => boolean): Promise<void> {
    const { api, subject } = tenant;
    // The tenant's own session was created in October and has expired.
    const console = await signIn(fresh, subject);
    while (!hasEnded()) {
      const key = await tenant.createKey('software');
      const bodies = await bodiesFor(api, key);
      await Promise.all(METERED.map((operation) => operate(api, key, operation, bodies[operation])));
      await Promise.all([api.send('POST', `/v1/keys/${key}/rotate`), operate(api, key, 'encrypt', bodies.encrypt)]);
      await api.send('PATCH', `/v1/keys/${key}`, { name: randomUUID() });
      text(await console.send('POST', '/v1/api-keys', { name: 'busy', allowed_actions: ['encrypt'] }), 'id');
      await console.send('POST', '/v1/containers', { name: randomUUID() });
      await console.send('POST', `/v1/keys/${key}/destroy`);
    }
  }

  test('check-store does not report changes that are made to the store while it runs', async () => {
    let ended = false;
    const busy = tenants.map((tenant) => keepBusy(tenant, () => ended));
    try {
      for (let time = 0; time < 5; time++) {
        const parts = await busyChecking.run();
        expect(parts.length).toBeGreaterThan(0);
        expect(parts.flatMap(({ findings }) => findings)).toEqual([]);
        expect(parts.every(({ checked }) => Object.values(checked).some((number) => number > 0))).toBe(true);
      }
    } finally {
      ended = true;
      await Promise.all(busy);
    }
  });

  async function runProgram(args: readonly string[] = [], more = {}) {
    const env = { PATH: process.env.PATH, ...allConfigured(fresh), ...more };
    const ran = run(process.execPath, ['operator/check-store.ts', ...args], { cwd: ROOT, env });
    const { code, stdout, stderr } = await ran.then(
      (output) => ({ code: 0, ...output }),
      (error) => z.object({ code: z.int(), stdout: z.string(), stderr: z.string() }).parse(error),
    );
    return { code, stdout, stderr };
  }

  test('check-store exits with 0 if it finds nothing; otherwise it exits with 1 and prints a line for each finding', async () => {
    const healthy = await runProgram();
    expect(healthy).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\nNo findings\.\n$/) });
    expect(healthy.stdout).toMatch(/^Keys against the KMS\n {2}live keys +13\n/);
    const [tenant] = tenants;
    await setCount(fresh, tenant?.id ?? '', 'firewalls', 7);
    const faulty = await runProgram();
    expect(faulty).toMatchObject({ code: 1, stderr: '', stdout: expect.stringMatching(/\n1 finding\.\n$/) });
    expect(faulty.stdout).toContain(
      `\ncount-differs: tenant ${tenant?.id}: firewalls is stored as 7, but 0 exist. Set firewalls of`,
    );
    const { code, stdout } = await runProgram(['--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: 1,
      parts: expect.arrayContaining([
        {
          title: 'Keys against the KMS',
          checked: { 'live keys': 13, 'enabled versions': 13, 'keys being destroyed, not checked': 0 },
          findings: [],
          adopted: [],
        },
      ]),
    });
    await setCount(fresh, tenant?.id ?? '', 'firewalls', 0);
  });

  test('check-store exits with 2 and one line for an invalid option, and with 3 if the KMS does not answer', async () => {
    for (const [args, line] of [
      [['--since', '2026-13'], '--since: expected a month, YYYY-MM\n'],
      [['--kms-reads', '0'], '--kms-reads: expected a whole number from 1 to 999999\n'],
      [['--repair'], expect.any(String)],
    ] as const) {
      const stderr = typeof line === 'string' ? `check-store: ${line}` : line;
      expect(await runProgram(args)).toEqual({ code: 2, stdout: '', stderr });
    }
    const stderr = expect.stringMatching(/^check-store: could not finish: /);
    const silent = { KMS_EMULATOR_HOST: '127.0.0.1:1' };
    expect(await runProgram([], silent)).toMatchObject({ code: 3, stderr });
  });
});
