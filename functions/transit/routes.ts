import type { NamingNeeds } from '../../shared/http/key-finder.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import type { Route } from '../../shared/http/route.ts';
import type { MeteredNeeds } from '../../shared/http/specs.ts';
import type { CipherNeeds } from '../../shared/keys/seal.ts';
import type { CreateKeyNeeds } from '../keys/create-key.ts';
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

type TransitNeeds = CreateKeyNeeds & MeteredNeeds & CipherNeeds & NamingNeeds & ReportNeeds;

/** The routes for programs that speak to Vault's Transit engine. */
export const transitRoutes: readonly Route<TransitNeeds>[] = [
  ...alike(encryptRoute),
  ...alike(decryptRoute),
  ...alike(rewrapRoute),
  ...alike(plaintextDataKeyRoute),
  ...alike(wrappedDataKeyRoute),
  listKeysRoute,
  getKeyRoute,
  ...alike(createKeyRoute),
  ...alike(rotateKeyRoute),
  lookUpSelfRoute,
  ...alike(renewSelfRoute),
];

/** A route by `POST`, and the same by `PUT`, which Vault's own clients use. */
function alike<Needs>(route: Route<Needs>): Route<Needs>[] {
  const { description, respond } = route;
  return [route, { description: { ...description, id: `${description.id}_put`, method: 'PUT' }, respond }];
}
