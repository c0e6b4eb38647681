import type { Config } from '../shared/config.ts';
import type { Route } from '../shared/http/route.ts';
import { billingRoutes } from './billing/routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { cryptoRoutes } from './crypto/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { keysRoutes } from './keys/routes.ts';
import { reportsRoutes } from './reports/routes.ts';

/** The whole table, group by group. */
export function everyRoute(config: Config): readonly Route[] {
  const every: readonly Route[] = [
    ...keysRoutes(config),
    ...cryptoRoutes(),
    ...reportsRoutes(config),
    ...consoleRoutes(config),
    ...billingRoutes(config),
    ...healthRoutes(async () => every),
  ];
  return every;
}
