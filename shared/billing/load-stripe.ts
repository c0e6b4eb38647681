import type Stripe from 'stripe';
import { splitAddress } from '../base/socket-address.ts';
import { type BillingConfig, DEADLINES_MS } from '../config.ts';

/** Loads the client of Stripe, which takes its time, and makes one. */
export async function loadStripe(billing: BillingConfig): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  const common = { timeout: DEADLINES_MS.stripe, telemetry: false } as const;
  if (billing.emulatorHost === undefined) return new Stripe(billing.secretKey, { ...common, maxNetworkRetries: 1 });
  const [host, port] = splitAddress(billing.emulatorHost);
  return new Stripe(billing.secretKey, { ...common, maxNetworkRetries: 0, protocol: 'http', host, port });
}
