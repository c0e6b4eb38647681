import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { parseMonth } from '../../../shared/base/month.ts';
import { invoiceStatement } from '../../../shared/billing/invoice.ts';
import { Payments } from '../../../shared/billing/payments.ts';
import type { Totals } from '../../../shared/billing/statement.ts';
import { at, type Harness, secretKey, startHarness, webhookSecret } from '../../emulators/stripe-harness.ts';

/** Sends a request of a billing run, delays it, or throws to end the run. `nth` counts the run’s requests from 1. */
type Intercept = (nth: number, send: () => Promise<Response>) => Promise<Response>;

const passOn: Intercept = (_, send) => send();

/** A tenant whose keys cost $48.01 in October 2026, and the payment provider that bills the tenant. */
interface October extends Harness {
  /** Invoices October as the service does. */
  readonly invoice: (intercept?: Intercept) => Promise<void>;
  /** Returns each invoice with the amounts of its lines. Invoices without lines are left out. */
  readonly billed: () => { status: string; total: number; amounts: number[] }[];
}

/** Whether the provider’s draft invoice for the new period is already open. */
type Draft = 'open' | 'to come';

/** How long the tenant’s subscription is active. Only a checkout leaves a payment method. */
type Subscribed = 'still' | 'until now' | 'until now, with a checkout';

async function payCheckout(payments: Payments, tenant: TenantId): Promise<void> {
  const { url } = await payments.openCheckout(tenant, await payments.makeCustomer(tenant));
  await fetch(url, { method: 'POST', redirect: 'manual' });
}

/** Starts the payment provider, with a subscription that ends in October or not. */
async function startOctober(subscribed: Subscribed, draft: Draft = 'open'): Promise<October> {
  const harness = await startHarness({ clock: { now: at('2026-10-10T12:00:00Z') } });
  const { emulator, stripe, clock } = harness;
  const tenant = makeId<TenantId>();
  if (subscribed === 'until now, with a checkout') await payCheckout(paymentsOf(emulator.port, passOn), tenant);
  else await emulator.setSubscription(tenant, 'active');
  if (subscribed !== 'still') await emulator.setSubscription(tenant, 'canceled');
  clock.now = at(draft === 'open' ? '2026-11-01T00:20:00Z' : '2026-10-31T23:59:59Z');
  await emulator.advance();
  const [customer] = (await stripe.customers.list()).data;
  const statement = octoberOf(tenant);
  return {
    ...harness,
    invoice: (intercept = passOn) =>
      invoiceStatement(paymentsOf(emulator.port, intercept), customer?.id ?? '', statement),
    billed: () =>
      emulator
        .invoices(tenant)
        .filter(({ lines }) => lines.length > 0)
        .map(({ status, total, lines }) => ({ status, total, amounts: lines.map(({ amount }) => amount).sort() })),
  };
}

function octoberOf(tenant: TenantId): Totals {
  const period = parseMonth('2026-10');
  if (period === undefined) throw new Error('not a month');
  const parts: Totals['parts'] = [
    { tier: 'wrapped', cents: 300 },
    { tier: 'software', cents: 1001 },
    { tier: 'hsm', cents: 3500 },
  ];
  return { tenant_id: tenant, period, total_cents: 4801, parts };
}

function paymentsOf(port: number, intercept: Intercept): Payments {
  let sent = 0;
  const httpClient = Stripe.createFetchHttpClient((url, init) => {
    sent += 1;
    return intercept(sent, () => fetch(url, init));
  });
  const address = { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false } as const;
  const config = {
    secretKey,
    webhookSecret,
    priceId: 'price_local',
    returnUrl: 'http://127.0.0.1/billing',
    emulatorHost: undefined,
  };
  return new Payments(config, async () => new Stripe(secretKey, { ...address, httpClient }));
}

/** The invoice of an uninterrupted billing run: one line for each tier. The lines add up to the statement’s total. */
const ONCE = { total: 4801, amounts: [1001, 300, 3500] };
const PAID = [{ status: 'paid', ...ONCE }];
/** Without a subscription and a payment method, the invoice stays open, because nothing is paid automatically. */
const OPEN = [{ status: 'open', ...ONCE }];

/** Interrupts a billing run at its n-th request, and records whether the run made that many requests. */
class Interruption {
  reached = false;
  readonly nth: number;

  constructor(nth: number) {
    this.nth = nth;
  }

  /** Ends the run before its n-th request is sent. */
  readonly endBefore: Intercept = async (nth, send) => {
    if (nth === this.nth) this.#die();
    return send();
  };

  /** Ends the run after its n-th request is carried out, before the answer arrives. */
  readonly endAfter: Intercept = async (nth, send) => {
    const answer = await send();
    if (nth === this.nth) this.#die();
    return answer;
  };

  /** Waits for `happen` before the run’s n-th request is sent. */
  readonly runBefore =
    (happen: () => Promise<void>): Intercept =>
    async (nth, send) => {
      if (nth === this.nth) {
        this.reached = true;
        await happen();
      }
      return send();
    };

  #die(): never {
    this.reached = true;
    throw new Error('the process ended');
  }
}

/** For each request of a billing run, starts a new run and interrupts it at that request. */
async function atEveryRequest(
  start: () => Promise<October>,
  interrupt: (interruption: Interruption, october: October) => Promise<void>,
): Promise<{ nth: number; billed: ReturnType<October['billed']> }[]> {
  const outcomes = [];
  for (let nth = 1; ; nth++) {
    const [interruption, october] = [new Interruption(nth), await start()];
    await interrupt(interruption, october);
    if (!interruption.reached) return outcomes;
    outcomes.push({ nth, billed: october.billed() });
  }
}

describe.each([
  ['on the draft invoice of the new period', 'still', PAID],
  ['on a separate invoice if the subscription has ended', 'until now', OPEN],
  ['with the payment method of a subscription that has ended', 'until now, with a checkout', PAID],
] as const)('billing a month %s', (_, subscribed, expected) => {
  const start = () => startOctober(subscribed);
  const sameEverywhere = (outcomes: { nth: number }[]) => {
    expect(outcomes.length).toBeGreaterThanOrEqual(7);
    expect(outcomes).toEqual(outcomes.map(({ nth }) => ({ nth, billed: expected })));
  };

  test('a month is billed once, even if the billing run is repeated', async () => {
    const october = await start();
    await october.invoice();
    expect(october.billed()).toEqual(expected);
    await october.invoice();
    expect(october.billed()).toEqual(expected);
  });

  test.each([
    ['before', 'endBefore'],
    ['after', 'endAfter'],
  ] as const)('the next billing run completes the bill if a run ended right %s any of its requests', async (_, end) => {
    const outcomes = await atEveryRequest(start, async (interruption, october) => {
      await october.invoice(interruption[end]).catch(() => undefined);
      await october.invoice();
    });
    sameEverywhere(outcomes);
  });

  test.each([
    ['before', 'endBefore'],
    ['after', 'endAfter'],
  ] as const)(
    'a billing run two days later completes the bill if a run ended right %s any of its requests, even though the provider has forgotten the idempotency keys',
    async (_, end) => {
      const outcomes = await atEveryRequest(start, async (interruption, october) => {
        await october.invoice(interruption[end]).catch(() => undefined);
        october.clock.now = at('2026-11-03T00:20:00Z');
        await october.emulator.advance();
        await october.invoice();
      });
      sameEverywhere(outcomes);
    },
  );

  test('a month is billed once, even if another billing run completes the bill between two requests of this run', async () => {
    const outcomes = await atEveryRequest(start, async (interruption, october) => {
      await october.invoice(interruption.runBefore(() => october.invoice())).catch(() => undefined);
      await october.invoice();
    });
    sameEverywhere(outcomes);
  });

  test('a month is billed once, even if the provider finalizes the draft invoice between two requests of the billing run', async () => {
    const outcomes = await atEveryRequest(start, async (interruption, october) => {
      const finalizeDraft = async () => {
        october.clock.now = at('2026-11-01T01:30:00Z');
        await october.emulator.advance();
      };
      await october.invoice(interruption.runBefore(finalizeDraft)).catch(() => undefined);
      await october.invoice();
    });
    sameEverywhere(outcomes);
  });
});

test('a month is billed once, even if the draft invoice opens and another run adds the charges between two requests of this run', async () => {
  const start = () => startOctober('still', 'to come');
  const outcomes = await atEveryRequest(start, async (interruption, october) => {
    const openAndFillDraft = async () => {
      october.clock.now = at('2026-11-01T00:20:00Z');
      await october.emulator.advance();
      await october.invoice();
    };
    await october.invoice(interruption.runBefore(openAndFillDraft)).catch(() => undefined);
    await october.invoice();
  });
  expect(outcomes).toEqual(outcomes.map(({ nth }) => ({ nth, billed: PAID })));
});

test('the charges of a month are not added to the draft invoice of a later month', async () => {
  const october = await startOctober('still');
  october.clock.now = at('2026-12-01T00:20:00Z');
  await october.emulator.advance();
  await october.invoice();
  const drafts = (await october.stripe.invoices.list()).data.filter(({ status }) => status === 'draft');
  expect(drafts.map(({ total }) => total)).toEqual([0]);
  expect(october.billed()).toEqual([{ status: 'paid', ...ONCE }]);
});
