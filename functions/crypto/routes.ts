import type { Route } from '../../shared/http/route.ts';
import type { MeteredNeeds } from '../../shared/http/specs.ts';
import type { CipherNeeds } from '../../shared/keys/seal.ts';
import { decryptRoute } from './decrypt.ts';
import { encryptRoute } from './encrypt.ts';
import { rewrapRoute } from './rewrap.ts';
import { unwrapRoute } from './unwrap.ts';
import { wrapRoute } from './wrap.ts';

/** The metered operations. */
export const cryptoRoutes: readonly Route<MeteredNeeds & CipherNeeds>[] = [
  encryptRoute,
  decryptRoute,
  wrapRoute,
  unwrapRoute,
  rewrapRoute,
];
