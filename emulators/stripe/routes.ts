import { checkoutRoutes } from './checkout.ts';
import { customerRoutes } from './customers.ts';
import { eventRoutes } from './events.ts';
import { invoiceItemRoutes } from './invoice-items.ts';
import { invoiceRoutes } from './invoices.ts';
import { portalRoutes } from './portal.ts';
import { priceRoutes } from './prices.ts';
import { productRoutes } from './products.ts';
import { matchPath, type Route } from './route.ts';
import { subscriptionRoutes } from './subscriptions.ts';

const routes: readonly Route[] = [
  ...customerRoutes,
  ...productRoutes,
  ...priceRoutes,
  ...subscriptionRoutes,
  ...checkoutRoutes,
  ...portalRoutes,
  ...invoiceRoutes,
  ...invoiceItemRoutes,
  ...eventRoutes,
];

/** The route of a request and the id in its path; undefined when the emulator has none. */
export function findRoute(method: string, path: string): { route: Route; id: string } | undefined {
  for (const route of routes) {
    const id = route.method === method ? matchPath(route.path, path) : undefined;
    if (id !== undefined) {
      return { route, id };
    }
  }
  return undefined;
}
