import type { Route } from '../../shared/http/route.ts';
import { createApiKeyRoute } from './create-api-key.ts';
import { createContainerRoute } from './create-container.ts';
import { createFirewallRoute } from './create-firewall.ts';
import { deleteContainerRoute } from './delete-container.ts';
import { deleteFirewallRoute } from './delete-firewall.ts';
import { getApiKeyRoute } from './get-api-key.ts';
import { getContainerRoute } from './get-container.ts';
import { getFirewallRoute } from './get-firewall.ts';
import { listApiKeysRoute } from './list-api-keys.ts';
import { listContainersRoute } from './list-containers.ts';
import { listFirewallsRoute } from './list-firewalls.ts';
import { meRoute } from './me.ts';
import { renameContainerRoute } from './rename-container.ts';
import { revokeApiKeyRoute } from './revoke-api-key.ts';
import { updateApiKeyRoute } from './update-api-key.ts';
import { updateFirewallRoute } from './update-firewall.ts';

/** What people administer: routes only where an identity provider is configured. */
export function consoleRoutes(config: { readonly identity: unknown }): readonly Route[] {
  return config.identity === undefined ? [] : ROUTES;
}

const ROUTES: readonly Route[] = [
  meRoute,
  createApiKeyRoute,
  listApiKeysRoute,
  getApiKeyRoute,
  updateApiKeyRoute,
  revokeApiKeyRoute,
  createContainerRoute,
  listContainersRoute,
  getContainerRoute,
  renameContainerRoute,
  deleteContainerRoute,
  createFirewallRoute,
  listFirewallsRoute,
  getFirewallRoute,
  updateFirewallRoute,
  deleteFirewallRoute,
];
