import type { Configured, Feature } from './feature.ts';
import type { Description, Route } from './route.ts';

export interface Group {
  readonly name: string;
  readonly feature?: Feature;
  readonly routes: readonly Route[];
}

export function routesOf({ feature, routes }: Group, configured: Configured): Route[] {
  if (feature !== undefined && !configured[feature]) return [];
  return routes.filter(({ description }) => exists(description, configured));
}

/** Whether the deployment has the route. Routes that only people can call need an identity provider. */
function exists({ credential, feature }: Description, configured: Configured): boolean {
  if (feature !== undefined && !configured[feature]) return false;
  return Boolean(configured.identity) || (credential !== 'console' && credential !== 'person');
}
