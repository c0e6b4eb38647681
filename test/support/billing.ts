import Stripe from 'stripe';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { STRIPE_SECRETS } from '../../emulators/stack/service-environment.ts';
import { type Addresses, control } from './client.ts';
import { read } from './objects.ts';
import type { Client } from './tenant.ts';

/** Returns Stripe's official client, connected to the stack's payment provider without the fault proxy. */
export function stripeOf(stack: Addresses): Stripe {
  const port = portsOf(stack).stripe;
  const address = { host: '127.0.0.1', port, protocol: 'http', telemetry: false } as const;
  return new Stripe(STRIPE_SECRETS.secretKey, address);
}

/**
 * Returns Stripe's event about a tenant's new subscription. `sign` returns the header of a webhook with this event,
 * signed at a time in seconds, by default now.
 */
export async function subscriptionEvent(stack: Addresses, tenantId: string) {
  const { events, webhooks } = stripeOf(stack);
  const created = await events.list({ type: 'customer.subscription.created', limit: 100 });
  const body = created.data.find(({ data }) => JSON.stringify(data).includes(tenantId));
  const sign = (timestamp: number = Math.floor(Date.now() / 1000)) => {
    const signed = { payload: JSON.stringify(body), secret: STRIPE_SECRETS.webhookSecret, timestamp };
    return { 'stripe-signature': webhooks.generateTestHeaderString(signed) };
  };
  return { body, sign };
}

/**
 * Sets the status of a tenant's subscription (`none` for no subscription), and waits until the service knows the
 * status.
 */
export async function setSubscription(stack: Addresses, tenantId: string, status: string): Promise<void> {
  await control(stack, 'POST', '/stripe/subscription', { tenant_id: tenantId, status });
}

const summary = z.strictObject({ closed: z.int(), failed: z.int() });

/** Runs the job close-month now. Returns its summary. */
export async function closeMonth(stack: Addresses): Promise<z.output<typeof summary>> {
  return summary.parse((await control(stack, 'POST', '/scheduled/close-month')).body);
}

const invoices = z.strictObject({
  invoices: z.array(
    z.strictObject({
      id: z.string(),
      period: z.string(),
      status: z.string(),
      lines: z.array(z.strictObject({ amount: z.int(), description: z.string().nullable() })),
      total: z.int(),
    }),
  ),
});

export type Invoice = z.output<typeof invoices>['invoices'][number];

/** Returns the tenant's invoices that contain charges, in the order in which they were opened. */
export async function invoicesOf(stack: Addresses, tenantId: string): Promise<Invoice[]> {
  const answer = await control(stack, 'GET', `/stripe/invoices?tenant_id=${tenantId}`);
  return read(invoices, answer).invoices.filter(({ lines }) => lines.length > 0);
}

const cents = z.string().regex(/^\d+(\.\d{0,4}[1-9])?$/);

/** The schema of a statement, which allows only these fields. */
const statementObject = z.strictObject({
  period: z.string(),
  currency: z.literal('usd'),
  lines: z.array(
    z.strictObject({
      ...{ key_id: z.uuid(), key_name: z.string(), tier: z.string() },
      ...{ days: z.int().nullable(), days_in_month: z.int().nullable(), fee_cents: cents },
      ...{ ops: z.int(), allowance: z.int(), overage_ops: z.int(), overage_cents: cents },
    }),
  ),
  total_cents: z.string().regex(/^\d+$/),
});

export type Statement = z.output<typeof statementObject>;

/** Returns a tenant's statement for a month. The session must be that of the tenant's owner. */
export async function statementOf(session: Client, period: string): Promise<Statement> {
  return read(statementObject, await session.send('GET', `/v1/billing/statement?period=${period}`));
}

/** Returns the amounts of an invoice, by tier and in total. */
export function amountsOf({ lines, total }: Invoice): { byTier: Record<string, number>; total: number } {
  const entries = lines.map(({ amount, description }) => [/wrapped|software|hsm/.exec(description ?? '')?.[0], amount]);
  if (new Set(entries.map(([tier]) => tier)).size < entries.length) throw new Error('a tier is listed twice');
  return { byTier: Object.fromEntries(entries), total };
}
