import type { Config } from '../shared/config.ts';
import type { Route } from '../shared/http/route.ts';
import { openPortalRoute } from './billing/open-portal.ts';
import { readBillingRoute } from './billing/read-billing.ts';
import { readStatementRoute } from './billing/read-statement.ts';
import { startCheckoutRoute } from './billing/start-checkout.ts';
import { stripeWebhookRoute } from './billing/stripe-webhook.ts';
import { createApiKeyRoute } from './console/create-api-key.ts';
import { createContainerRoute } from './console/create-container.ts';
import { createFirewallRoute } from './console/create-firewall.ts';
import { deleteContainerRoute } from './console/delete-container.ts';
import { deleteFirewallRoute } from './console/delete-firewall.ts';
import { getApiKeyRoute } from './console/get-api-key.ts';
import { getContainerRoute } from './console/get-container.ts';
import { getFirewallRoute } from './console/get-firewall.ts';
import { listApiKeysRoute } from './console/list-api-keys.ts';
import { listContainersRoute } from './console/list-containers.ts';
import { listFirewallsRoute } from './console/list-firewalls.ts';
import { meRoute } from './console/me.ts';
import { renameContainerRoute } from './console/rename-container.ts';
import { revokeApiKeyRoute } from './console/revoke-api-key.ts';
import { updateApiKeyRoute } from './console/update-api-key.ts';
import { updateFirewallRoute } from './console/update-firewall.ts';
import { decryptRoute } from './crypto/decrypt.ts';
import { encryptRoute } from './crypto/encrypt.ts';
import { rewrapRoute } from './crypto/rewrap.ts';
import { unwrapRoute } from './crypto/unwrap.ts';
import { wrapRoute } from './crypto/wrap.ts';
import { liveRoute } from './health/live.ts';
import { makeOpenApiRoute } from './health/openapi.ts';
import { readyRoute } from './health/ready.ts';
import { createKeyRoute } from './keys/create-key.ts';
import { deleteKeyRoute } from './keys/delete-key.ts';
import { destroyKeyRoute } from './keys/destroy-key.ts';
import { getKeyRoute } from './keys/get-key.ts';
import { listKeysRoute } from './keys/list-keys.ts';
import { renameKeyRoute } from './keys/rename-key.ts';
import { restoreKeyRoute } from './keys/restore-key.ts';
import { rotateKeyRoute } from './keys/rotate-key.ts';
import { readAuditRoute } from './reports/read-audit.ts';
import { readKeyAuditRoute } from './reports/read-key-audit.ts';
import { readUsageRoute } from './reports/read-usage.ts';

/** The routes of a function, by the name that it is deployed under. */
export type GroupName = 'keys' | 'crypto' | 'reports' | 'console' | 'billing' | 'health';

/** The whole table by group. Console and billing routes are routes only where the deployment has configured them. */
export function routesByGroup(config: Config): Record<GroupName, readonly Route[]> {
  const hasConsole = config.identity !== undefined;
  const groups = {
    keys: [
      createKeyRoute,
      listKeysRoute,
      getKeyRoute,
      renameKeyRoute,
      deleteKeyRoute,
      rotateKeyRoute,
      restoreKeyRoute,
      ...(hasConsole ? [destroyKeyRoute] : []),
    ],
    crypto: [encryptRoute, decryptRoute, wrapRoute, unwrapRoute, rewrapRoute],
    reports: [readKeyAuditRoute, readUsageRoute, ...(hasConsole ? [readAuditRoute] : [])],
    console: hasConsole ? CONSOLE_ROUTES : [],
    billing: config.billing === undefined ? [] : BILLING_ROUTES,
    health: [liveRoute, readyRoute],
  };
  const all = Object.values(groups).flat();
  return { ...groups, health: [...groups.health, makeOpenApiRoute(all)] };
}

const BILLING_ROUTES: readonly Route[] = [
  readBillingRoute,
  startCheckoutRoute,
  openPortalRoute,
  readStatementRoute,
  stripeWebhookRoute,
];

const CONSOLE_ROUTES: readonly Route[] = [
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
