import type { Route } from '../shared/http/route.ts';
import { billingRoutes } from './billing/routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { cryptoRoutes } from './crypto/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { keysRoutes } from './keys/routes.ts';
import { reportsRoutes } from './reports/routes.ts';

/** What a deployment may have configured, and has routes for then. */
interface Configured {
  readonly identity: unknown;
  readonly billing: unknown;
}

/** The routes of each function, by the name that it is deployed under. */
export function routesByGroup(config: Configured) {
  const groups = {
    keys: keysRoutes(config),
    crypto: cryptoRoutes(),
    reports: reportsRoutes(config),
    console: consoleRoutes(config),
    billing: billingRoutes(config),
    health: healthRoutes(async () => everyRoute(config)),
  } satisfies Record<string, readonly Route[]>;
  return groups;
}

/** The whole table, group by group. */
export function everyRoute(config: Configured): readonly Route[] {
  return Object.values(routesByGroup(config)).flat();
}
