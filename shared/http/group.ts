import type { Configured, Feature } from './feature.ts';
import type { Description, Route } from './route.ts';

/** The routes of one function, which use `Parts` of the service. */
export interface Group<Parts> {
  readonly name: string;
  readonly feature?: Feature;
  readonly routes: readonly Route<Parts>[];
}

export function routesOf<Parts>({ feature, routes }: Group<Parts>, configured: Configured): Route<Parts>[] {
  if (feature !== undefined && !configured[feature]) return [];
  return routes.filter(({ description }) => exists(description, configured));
}

/** Whether the deployment has the route. Routes that only people can call need an identity provider. */
function exists({ credential, feature }: Description, configured: Configured): boolean {
  if (feature !== undefined && !configured[feature]) return false;
  return Boolean(configured.identity) || (credential !== 'console' && credential !== 'person');
}
