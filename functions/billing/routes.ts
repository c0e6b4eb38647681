import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import type { Route } from '../../shared/http/route.ts';
import { openPortalRoute } from './open-portal.ts';
import { readBillingRoute } from './read-billing.ts';
import { readStatementRoute } from './read-statement.ts';
import { startCheckoutRoute } from './start-checkout.ts';
import { stripeWebhookRoute, type WebhookNeeds } from './stripe-webhook.ts';

/** Subscription, statements and Stripe's webhook. */
export const billingRoutes: readonly Route<IdentifyNeeds & ReportNeeds & WebhookNeeds>[] = [
  readBillingRoute,
  startCheckoutRoute,
  openPortalRoute,
  readStatementRoute,
  stripeWebhookRoute,
];
