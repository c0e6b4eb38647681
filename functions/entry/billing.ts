import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { billingRoutes } from '../billing/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('billing', billingRoutes, { load: { stripe: loadStripe } });
