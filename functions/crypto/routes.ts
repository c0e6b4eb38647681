import type { Group } from '../../shared/http/group.ts';
import { decryptRoute } from './decrypt.ts';
import { encryptRoute } from './encrypt.ts';
import { rewrapRoute } from './rewrap.ts';
import { unwrapRoute } from './unwrap.ts';
import { wrapRoute } from './wrap.ts';

/** The metered operations. Only API keys may call them, with one value per request. */
export const crypto = {
  name: 'crypto',
  routes: [encryptRoute, decryptRoute, wrapRoute, unwrapRoute, rewrapRoute],
} satisfies Group<never>;
