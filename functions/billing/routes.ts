import type { Group } from '../../shared/http/group.ts';
import { openPortalRoute } from './open-portal.ts';
import { readBillingRoute } from './read-billing.ts';
import { readStatementRoute } from './read-statement.ts';
import { startCheckoutRoute } from './start-checkout.ts';
import { stripeWebhookRoute } from './stripe-webhook.ts';

/** The routes for the subscription and statements, and Stripe's webhook. */
export const billing = {
  name: 'billing',
  feature: 'billing',
  routes: [readBillingRoute, startCheckoutRoute, openPortalRoute, readStatementRoute, stripeWebhookRoute],
} satisfies Group<never>;
