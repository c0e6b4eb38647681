import type { Store } from '../store/store.ts';
import type { Person } from '../tenancy/caller.ts';
import type { LastUse } from './last-use.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Secrets } from './secrets.ts';

export interface AccessTokens {
  /** Verifies an access token. Throws `unauthorized`, or `unavailable` when the provider's keys cannot be fetched. */
  verify(accessToken: string): Promise<Person>;
}

export interface IdentifyNeeds {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly accessTokens: AccessTokens;
  readonly rateLimit: Pick<RateLimit, 'take'>;
  readonly lastUse: LastUse;
}
