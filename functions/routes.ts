import type { Configured } from '../shared/http/feature.ts';
import { routesOf } from '../shared/http/group.ts';
import type { Description } from '../shared/http/route.ts';
import { billing } from './billing/routes.ts';
import { console } from './console/routes.ts';
import { crypto } from './crypto/routes.ts';
import { health } from './health/routes.ts';
import { keys } from './keys/routes.ts';
import { reports } from './reports/routes.ts';
import { transit } from './transit/routes.ts';

/** Every group of routes. */
export const GROUPS = [keys, crypto, reports, console, billing, transit, health];

/** Returns the routes of a deployment, by the name of the function that serves them. */
export function routesByGroup(configured: Configured): ReadonlyMap<string, readonly Description[]> {
  return new Map(
    GROUPS.map((group) => [group.name, routesOf<never>(group, configured).map(({ description }) => description)]),
  );
}

/** Returns all routes of a deployment, group by group. */
export function everyRoute(configured: Configured): readonly Description[] {
  return [...routesByGroup(configured).values()].flat();
}

/** Returns the OpenAPI document of every route. Loads the generator only when needed. */
export async function describeEveryRoute(configured: Configured): Promise<Record<string, unknown>> {
  const { describeRoutes } = await import('../shared/http/openapi.ts');
  return describeRoutes(everyRoute(configured), configured);
}
