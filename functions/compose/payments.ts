import type { Log } from '../../shared/base/log.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { Payments } from '../../shared/billing/payments.ts';
import { Subscriptions } from '../../shared/billing/subscriptions.ts';
import { type BillingConfig, readStripeSecret } from '../../shared/config.ts';
import type { Store } from '../../shared/store/store.ts';

/** What speaks to the payment provider. */
export interface OpenPayments {
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
}

/** Opens the payment provider, whose client is loaded at its first use. Throws an `Error` without the secret key. */
export function openPayments(billing: BillingConfig, store: Store, log: Log): OpenPayments {
  const secretKey = readStripeSecret(process.env, 'STRIPE_SECRET_KEY');
  const payments = new Payments(billing, () => loadStripe(secretKey, billing.emulatorHost));
  return { payments, subscriptions: new Subscriptions(store, payments, log) };
}
