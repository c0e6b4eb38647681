import type { Group } from '../../shared/http/group.ts';
import type { Route } from '../../shared/http/route.ts';
import { createKeyRoute } from './create-key.ts';
import { plaintextDataKeyRoute, wrappedDataKeyRoute } from './data-key.ts';
import { decryptRoute } from './decrypt.ts';
import { encryptRoute } from './encrypt.ts';
import { getKeyRoute } from './get-key.ts';
import { listKeysRoute } from './list-keys.ts';
import { lookUpSelfRoute } from './look-up-self.ts';
import { renewSelfRoute } from './renew-self.ts';
import { rewrapRoute } from './rewrap.ts';
import { rotateKeyRoute } from './rotate-key.ts';

/** The routes for clients of Vault's Transit engine. */
export const transit = {
  name: 'transit',
  feature: 'transit',
  routes: [
    ...withPut(encryptRoute),
    ...withPut(decryptRoute),
    ...withPut(rewrapRoute),
    ...withPut(plaintextDataKeyRoute),
    ...withPut(wrappedDataKeyRoute),
    listKeysRoute,
    getKeyRoute,
    ...withPut(createKeyRoute),
    ...withPut(rotateKeyRoute),
    lookUpSelfRoute,
    ...withPut(renewSelfRoute),
  ],
} satisfies Group<never>;

/** Returns the route and the same route with `PUT`, which Vault's own clients use. */
function withPut<Parts>(route: Route<Parts>): Route<Parts>[] {
  const { description } = route;
  return [route, { ...route, description: { ...description, id: `${description.id}_put`, method: 'PUT' } }];
}
