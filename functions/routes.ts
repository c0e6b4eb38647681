import type { Config } from '../shared/config.ts';
import type { Route } from '../shared/http/route.ts';
import { stripeWebhookRoute } from './billing/stripe-webhook.ts';
import { createApiKeyRoute } from './console/create-api-key.ts';
import { getApiKeyRoute } from './console/get-api-key.ts';
import { listApiKeysRoute } from './console/list-api-keys.ts';
import { meRoute } from './console/me.ts';
import { revokeApiKeyRoute } from './console/revoke-api-key.ts';
import { decryptRoute } from './crypto/decrypt.ts';
import { encryptRoute } from './crypto/encrypt.ts';
import { rewrapRoute } from './crypto/rewrap.ts';
import { unwrapRoute } from './crypto/unwrap.ts';
import { wrapRoute } from './crypto/wrap.ts';
import { liveRoute } from './health/live.ts';
import { makeOpenApiRoute } from './health/openapi.ts';
import { readyRoute } from './health/ready.ts';
import { createKeyRoute } from './keys/create-key.ts';
import { getKeyRoute } from './keys/get-key.ts';
import { listKeysRoute } from './keys/list-keys.ts';

/** The routes of a function, by the name that it is deployed under. */
export type GroupName = 'keys' | 'crypto' | 'console' | 'billing' | 'health';

const keys = [createKeyRoute, listKeysRoute, getKeyRoute];
const crypto = [encryptRoute, decryptRoute, wrapRoute, unwrapRoute, rewrapRoute];
const console = [meRoute, createApiKeyRoute, listApiKeysRoute, getApiKeyRoute, revokeApiKeyRoute];
const billing = [stripeWebhookRoute];
const health = [liveRoute, readyRoute];

/** The whole table by group. Console and billing routes are routes only where the deployment has configured them. */
export function routesByGroup(config: Config): Record<GroupName, readonly Route[]> {
  const configured = {
    keys,
    crypto,
    console: config.identity === undefined ? [] : console,
    billing: config.billing === undefined ? [] : billing,
  };
  const described = [...Object.values(configured).flat(), ...health];
  return { ...configured, health: [...health, makeOpenApiRoute(described)] };
}
