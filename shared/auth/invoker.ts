import type { IncomingMessage } from 'node:http';
import { createRemoteJWKSet, decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { DEADLINES_MS, type InvokerConfig } from '../config.ts';
import { ApiError, unauthorized } from '../errors.ts';
import { singleHeader } from '../http/request.ts';
import { isTokensFault } from './token-fault.ts';

const ID_TOKEN = /^Bearer ([\w-]+\.[\w-]+\.([\w-]+))$/;
/** What Cloud Run puts in the place of a signature that it has checked. */
const CHECKED = 'SIGNATURE_REMOVED_BY_GOOGLE';
/** Signs ID tokens of service accounts with RS256. */
const GOOGLE = 'https://accounts.google.com';

/**
 * Knows the one service account that may call this function, the gateway's or the scheduler's, by the Google ID token that
 * it sends in `Authorization`.
 *
 * The first wall is Cloud Run's: it lets in only whom IAM made an invoker of the function, after it has checked the
 * token's signature, audience and expiry. Then it passes the token on without the signature. So on Cloud Run a token
 * without one is taken at its word, and what this check adds is *who*: an operator, a build or another function that may
 * invoke as well is still not the gateway. It cannot stand in for the first wall: were the function open to everyone, Cloud Run
 * would check nothing and anybody could write such a token. Where a signature is there it is verified, and anywhere but
 * on Cloud Run it has to be.
 */
export class Invoker {
  readonly #config: InvokerConfig;
  readonly #googlesKeys: JWTVerifyGetKey;
  readonly #claims: z.ZodType;

  constructor(config: InvokerConfig) {
    this.#config = config;
    this.#googlesKeys = createRemoteJWKSet(new URL(config.keysUrl), { timeoutDuration: DEADLINES_MS.identity });
    this.#claims = z.object({
      iss: z.literal(GOOGLE),
      aud: z.literal(config.audience),
      email: z.literal(config.serviceAccount),
      email_verified: z.literal(true),
    });
  }

  /** Throws `unauthorized` for a request of anyone else, and `unavailable` when Google's keys are needed and cannot be had. */
  async refuseOthers(message: IncomingMessage): Promise<void> {
    const [, token, signature] = ID_TOKEN.exec(singleHeader(message, 'authorization') ?? '') ?? [];
    if (token === undefined) throw unauthorized();
    const claims = signature === CHECKED ? this.#checked(token, message) : await this.#verified(token);
    if (!this.#claims.safeParse(claims).success) throw unauthorized();
  }

  #checked(token: string, message: IncomingMessage): unknown {
    // With that header set, it is the token there that Cloud Run has checked, and not this one.
    const checkedAnother = message.headers['x-serverless-authorization'] !== undefined;
    if (!this.#config.onCloudRun || checkedAnother) throw unauthorized();
    try {
      return decodeJwt(token);
    } catch (error) {
      throw unauthorized(error);
    }
  }

  async #verified(token: string): Promise<unknown> {
    try {
      return (await jwtVerify(token, this.#googlesKeys, { algorithms: ['RS256'], requiredClaims: ['exp'] })).payload;
    } catch (error) {
      if (isTokensFault(error)) throw unauthorized(error);
      throw new ApiError('unavailable', 'no answer from the keys of the invoker', { cause: error });
    }
  }
}
