import { billingRoutes } from '../billing/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('billing', billingRoutes);
