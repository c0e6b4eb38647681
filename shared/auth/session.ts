import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS, type IdentityConfig } from '../config.ts';
import { ApiError, unauthorized } from '../errors.ts';
import { subjectId } from '../tenancy/tenant.ts';
import type { Person } from './caller.ts';
import { isTokensFault } from './token-fault.ts';

/** Asymmetric signatures alone: a shared secret or no signature proves nothing here (RFC 8725 §3.1). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Verifies console access tokens against the identity provider's published keys. */
export class Sessions {
  readonly #config: IdentityConfig;
  readonly #keys: JWTVerifyGetKey;
  readonly #clock: Clock;
  #keysFailed = false;

  constructor(config: IdentityConfig, clock: Clock) {
    this.#config = config;
    const keys = createRemoteJWKSet(new URL(config.jwksUrl), { timeoutDuration: DEADLINES_MS.identity });
    this.#keys = (header, token) => this.#fetched(Promise.resolve(keys(header, token)));
    this.#clock = clock;
  }

  /** The person whose access token this is. Throws `unauthorized`, or `unavailable` when the provider's keys cannot be had. */
  async verify(accessToken: string): Promise<Person> {
    const payload = await this.#verified(accessToken);
    const { sub, email, name } = payload;
    if (typeof sub !== 'string' || sub === '') throw unauthorized();
    return {
      subjectId: subjectId(this.#config.issuer, sub),
      email: typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
    };
  }

  /**
   * Keys that are being fetched, once for all who wait. After a fetch that failed a request waits for the next one only
   * briefly, so that an outage of the provider does not hold every request for the whole deadline.
   */
  async #fetched<Key>(keys: Promise<Key>): Promise<Key> {
    const limitMs = this.#keysFailed ? DEADLINES_MS.identityAgain : DEADLINES_MS.identity;
    try {
      const key = await withDeadline('identity', limitMs, keys);
      this.#keysFailed = false;
      return key;
    } catch (error) {
      this.#keysFailed = !isTokensFault(error);
      throw error;
    }
  }

  async #verified(accessToken: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(accessToken, this.#keys, {
        issuer: this.#config.issuer,
        audience: this.#config.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#clock.now() / 1000),
      });
      return payload;
    } catch (error) {
      throw isTokensFault(error) ? unauthorized(error) : noKeys(error);
    }
  }
}

function noKeys(cause: unknown): ApiError {
  return new ApiError('unavailable', 'no answer from the sign-in provider', { cause });
}
