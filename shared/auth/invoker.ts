import { createRemoteJWKSet, decodeJwt, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { InvokerConfig } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError, unauthorized } from '../errors.ts';
import { isTokenError } from './token-error.ts';

const ID_TOKEN = /^Bearer ([\w-]+\.[\w-]+\.([\w-]+))$/;
const CHECKED = 'SIGNATURE_REMOVED_BY_GOOGLE';
/** The issuer of the ID tokens of service accounts. */
const GOOGLE = 'https://accounts.google.com';

interface Invocation {
  /** The `Authorization` header; `undefined` if the header is missing or repeated. */
  readonly authorization: string | undefined;
  /** Whether the request has Cloud Run's own token header. If so, Cloud Run did not verify `authorization`. */
  readonly checkedElsewhere: boolean;
}

/**
 * Admits only the configured service account, by its Google ID token. On Cloud Run, IAM verifies the token, replaces
 * its signature with a fixed text, and rejects tokens that arrive with that text. Elsewhere, this class verifies the
 * signature with Google's public keys.
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

  /** Throws `unauthorized` for other callers, and `unavailable` when Google's keys cannot be fetched. */
  async refuseOthers({ authorization, checkedElsewhere }: Invocation): Promise<void> {
    const [, token, signature] = ID_TOKEN.exec(authorization ?? '') ?? [];
    if (token === undefined) throw unauthorized();
    const claims = signature === CHECKED ? this.#checked(token, checkedElsewhere) : await this.#verified(token);
    if (!this.#claims.safeParse(claims).success) throw unauthorized();
  }

  #checked(token: string, checkedElsewhere: boolean): unknown {
    if (!this.#config.onCloudRun || checkedElsewhere) throw unauthorized();
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
      if (isTokenError(error)) throw unauthorized(error);
      throw new ApiError('unavailable', "the public keys that verify the invoker's token could not be fetched", {
        cause: error,
      });
    }
  }
}
