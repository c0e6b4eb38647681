import Stripe from 'stripe';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { parseMonth } from '../../../shared/base/month.ts';
import { invoiceStatement } from '../../../shared/billing/invoice.ts';
import { Payments } from '../../../shared/billing/payments.ts';
import type { Totals } from '../../../shared/billing/statement.ts';
import { at, type Harness, secretKey, startHarness, webhookSecret } from '../../emulators/stripe-harness.ts';

/** Sends a request of a billing run, delays it, or throws to end the run. `nth` counts the run’s requests from 1. */
export type Intercept = (nth: number, send: () => Promise<Response>) => Promise<Response>;

const passOn: Intercept = (_, send) => send();

/** A tenant whose keys cost $48.01 in October 2026, and the payment provider that bills the tenant. */
export interface October extends Harness {
  /** Invoices October as the service does. */
  readonly invoice: (intercept?: Intercept) => Promise<void>;
  /** Returns each invoice with the amounts of its lines. Invoices without lines are left out. */
  readonly billed: () => { status: string; total: number; amounts: number[] }[];
}

/** Whether the provider’s draft invoice for the new period is already open. */
type Draft = 'open' | 'to come';

/** Starts the payment provider. `subscribed` says whether the tenant’s subscription is active at the end of October. */
export async function startOctober(subscribed: boolean, draft: Draft = 'open'): Promise<October> {
  const harness = await startHarness({ clock: { now: at('2026-10-10T12:00:00Z') } });
  const { emulator, stripe, clock } = harness;
  const tenant = makeId<TenantId>();
  await emulator.setSubscription(tenant, 'active');
  if (!subscribed) await emulator.setSubscription(tenant, 'canceled');
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
  const config = { secretKey, webhookSecret, priceId: 'price_local', returnUrl: '', emulatorHost: undefined };
  return new Payments(config, async () => new Stripe(secretKey, { ...address, httpClient }));
}
