import type { Route } from '../../shared/http/route.ts';
import { decryptRoute } from './decrypt.ts';
import { encryptRoute } from './encrypt.ts';
import { rewrapRoute } from './rewrap.ts';
import { unwrapRoute } from './unwrap.ts';
import { wrapRoute } from './wrap.ts';

/** The metered operations. */
export function cryptoRoutes(): readonly Route[] {
  return [encryptRoute, decryptRoute, wrapRoute, unwrapRoute, rewrapRoute];
}
