import { readStripeSecret } from '../../shared/config.ts';
import { type BoundRoute, bind } from '../../shared/http/route.ts';
import { billingRoutes } from '../billing/routes.ts';
import { Webhooks } from '../billing/stripe-webhook.ts';
import type { Base } from './base.ts';
import { openPayments } from './payments.ts';

/** The routes of `billing`, none where that is not configured. Throws an `Error` without a secret of the payment provider. */
export function bindBilling(base: Base): BoundRoute[] {
  const { config, store, log } = base;
  if (config.billing === undefined) return [];
  const webhooks = new Webhooks(readStripeSecret(process.env, 'STRIPE_WEBHOOK_SECRET'));
  return bind(billingRoutes, { ...base, ...openPayments(config.billing, store, log), webhooks });
}
