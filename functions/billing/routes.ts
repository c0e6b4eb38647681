import type { Route } from '../../shared/http/route.ts';
import { openPortalRoute } from './open-portal.ts';
import { readBillingRoute } from './read-billing.ts';
import { readStatementRoute } from './read-statement.ts';
import { startCheckoutRoute } from './start-checkout.ts';
import { stripeWebhookRoute } from './stripe-webhook.ts';

/** Subscription, statements and Stripe's webhook: routes only where billing is configured. */
export function billingRoutes(config: { readonly billing: unknown }): readonly Route[] {
  return config.billing === undefined ? [] : ROUTES;
}

const ROUTES: readonly Route[] = [
  readBillingRoute,
  startCheckoutRoute,
  openPortalRoute,
  readStatementRoute,
  stripeWebhookRoute,
];
