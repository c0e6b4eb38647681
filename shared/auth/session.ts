import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import type { IdentityConfig } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError, unauthorized } from '../errors.ts';
import type { Person } from '../tenancy/caller.ts';
import { subjectId } from '../tenancy/tenant.ts';
import { isTokenError, reasonOf } from './token-error.ts';

/** Asymmetric signatures only (RFC 8725 §3.1). */
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

/** Claims that only ID tokens have (OpenID Connect Core §2, §3.1.3.6, §3.3.2.11); Cognito sets `token_use` instead. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash'];

export interface AccessTokens {
  /** Returns a token's person. Throws `unauthorized`, or `unavailable` if the provider's keys cannot be fetched. */
  verify(accessToken: string): Promise<Person>;
}

/** Verifies access tokens with the keys of the identity provider (JWKS). */
export class Sessions implements AccessTokens {
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

  /** Returns the person of an access token. Throws `unauthorized` for any other token, such as an ID token. */
  async verify(accessToken: string): Promise<Person> {
    const { payload, protectedHeader } = await this.#verified(accessToken);
    if (!this.#isAccessTokenType(protectedHeader.typ)) throw unauthorized(undefined, 'the header typ is wrong');
    if (isIdToken(payload)) throw unauthorized(undefined, 'the token is an ID token, not an access token');
    const { sub, email, name } = payload;
    if (typeof sub !== 'string' || sub === '') throw unauthorized(undefined, 'the claim sub is wrong');
    return {
      subjectId: subjectId(this.#config.issuer, sub),
      email: typeof email === 'string' ? email : null,
      name: typeof name === 'string' ? name : null,
    };
  }

  /** Whether `typ` fits an access token. RFC 9068 §4 requires `at+jwt`; other providers send `JWT` or no type. */
  #isAccessTokenType(type: unknown = 'JWT'): boolean {
    if (typeof type !== 'string') return false;
    const name = type.toLowerCase().replace(/^application\//, '');
    return name === 'at+jwt' || (name === 'jwt' && this.#config.tokenType === 'JWT');
  }

  /** After a failed fetch, the deadline is shorter, so that requests fail fast while the provider is down. */
  async #fetched<Key>(keys: Promise<Key>): Promise<Key> {
    const limitMs = this.#keysFailed ? DEADLINES_MS.identityAgain : DEADLINES_MS.identity;
    try {
      const key = await withDeadline('identity', limitMs, keys);
      this.#keysFailed = false;
      return key;
    } catch (error) {
      this.#keysFailed = !isTokenError(error);
      throw error;
    }
  }

  async #verified(accessToken: string): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(accessToken, this.#keys, {
        issuer: this.#config.issuer,
        audience: this.#config.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#clock.now() / 1000),
      });
    } catch (error) {
      throw isTokenError(error) ? unauthorized(error, reasonOf(error)) : noKeys(error);
    }
  }
}

/** Refuses every access token, in a deployment without an identity provider. */
export const NO_SESSIONS: AccessTokens = {
  async verify() {
    throw unauthorized();
  },
};

function isIdToken(claims: JWTPayload): boolean {
  return ID_TOKEN_CLAIMS.some((claim) => Object.hasOwn(claims, claim)) || claims.token_use === 'id';
}

function noKeys(cause: unknown): ApiError {
  return new ApiError('unavailable', 'the sign-in provider did not answer', { cause });
}
