import type { Configured } from '../shared/http/refusals.ts';
import type { Route } from '../shared/http/route.ts';
import { billingRoutes } from './billing/routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { cryptoRoutes } from './crypto/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { keysRoutes } from './keys/routes.ts';
import { reportsRoutes } from './reports/routes.ts';

/** The routes of each function, by the name that it is deployed under. */
export function routesByGroup(config: Configured) {
  const groups = {
    keys: keysRoutes(config),
    crypto: cryptoRoutes(),
    reports: reportsRoutes(config),
    console: consoleRoutes(config),
    billing: billingRoutes(config),
    health: healthRoutes(() => describeEveryRoute(config)),
  } satisfies Record<string, readonly Route[]>;
  return groups;
}

/** The whole table, group by group. */
export function everyRoute(config: Configured): readonly Route[] {
  return Object.values(routesByGroup(config)).flat();
}

/** The OpenAPI document of the whole table. What makes it is read from disk only where it is asked for. */
export async function describeEveryRoute(config: Configured): Promise<Record<string, unknown>> {
  const { describeRoutes } = await import('../shared/http/openapi.ts');
  const descriptions = everyRoute(config).map(({ description }) => description);
  return describeRoutes(descriptions, config);
}
