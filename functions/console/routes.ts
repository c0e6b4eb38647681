import type { Route } from '../../shared/http/route.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { containerRoutes } from './containers.ts';
import { firewallRoutes } from './firewalls.ts';
import { meRoute } from './me.ts';

/** What people administer: routes only where an identity provider is configured. */
export function consoleRoutes(config: { readonly identity: unknown }): readonly Route[] {
  return config.identity === undefined ? [] : [meRoute, ...apiKeyRoutes, ...containerRoutes, ...firewallRoutes];
}
