import { type Configured, exists } from '../shared/http/configured.ts';
import type { Description } from '../shared/http/route.ts';
import { billingRoutes } from './billing/routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { cryptoRoutes } from './crypto/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { keysRoutes } from './keys/routes.ts';
import { reportsRoutes, sealedLogRoutes } from './reports/routes.ts';
import { transitRoutes } from './transit/routes.ts';

/** The routes of each function that exist where this is configured, by the name that the function is deployed under. */
export function routesByGroup(configured: Configured) {
  const existing = (routes: readonly { readonly description: Description }[]): readonly Description[] =>
    routes.map(({ description }) => description).filter((description) => exists(description, configured));
  return {
    keys: existing(keysRoutes),
    crypto: existing(cryptoRoutes),
    reports: [...existing(reportsRoutes), ...(configured.sealing === undefined ? [] : existing(sealedLogRoutes))],
    console: configured.identity === undefined ? [] : existing(consoleRoutes),
    billing: configured.billing === undefined ? [] : existing(billingRoutes),
    transit: configured.transit ? existing(transitRoutes) : [],
    health: existing(healthRoutes),
  };
}

/** The whole table, group by group. */
export function everyRoute(configured: Configured): readonly Description[] {
  return Object.values(routesByGroup(configured)).flat();
}

/** The OpenAPI document of the whole table. What makes it is read from disk only where it is asked for. */
export async function describeEveryRoute(configured: Configured): Promise<Record<string, unknown>> {
  const { describeRoutes } = await import('../shared/http/openapi.ts');
  return describeRoutes(everyRoute(configured), configured);
}
