import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import type { Route } from '../../shared/http/route.ts';
import type { MintingNeeds } from '../../shared/tenancy/needs.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { containerRoutes } from './containers.ts';
import { firewallRoutes } from './firewalls.ts';
import { meRoute } from './me.ts';
import { type SignInNeeds, signInRoute } from './sign-in.ts';

/** What people administer. */
export const consoleRoutes: readonly Route<IdentifyNeeds & MintingNeeds & SignInNeeds>[] = [
  signInRoute,
  meRoute,
  ...apiKeyRoutes,
  ...containerRoutes,
  ...firewallRoutes,
];
