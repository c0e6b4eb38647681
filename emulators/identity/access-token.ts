import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { makeSigningKey, type SigningKey, signingAlgorithm } from './signing-key.ts';

/** The client id of the console, which is a public client without a secret. */
export const consoleClientId = 'console';

/** The default lifetime of an access token, in seconds. */
export const accessTokenSeconds = 3600;

export type TokenRequest = {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** The lifetime in seconds. With a negative number, the token has already expired. */
  readonly expires_in?: number | undefined;
  readonly audience?: string | undefined;
  readonly issuer?: string | undefined;
  /** `stranger` signs the token with an unknown key, but names the id of the provider's published key. */
  readonly signed_by?: 'stranger' | undefined;
};

/** Signs a JWT access token (RFC 9068). */
export async function signAccessToken(
  request: TokenRequest,
  by: { key: SigningKey; issuer: string; audience: string; nowMs: number },
): Promise<string> {
  const issuedAt = Math.floor(by.nowMs / 1000);
  const key = request.signed_by === 'stranger' ? await makeSigningKey() : by.key;
  const { sub, email, name } = request;
  return new SignJWT({ client_id: consoleClientId, ...(email && { email }), ...(name && { name }) })
    .setProtectedHeader({ alg: signingAlgorithm, typ: 'at+jwt', kid: by.key.kid })
    .setIssuer(request.issuer ?? by.issuer)
    .setSubject(sub)
    .setAudience(request.audience ?? by.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + (request.expires_in ?? accessTokenSeconds))
    .setJti(randomUUID())
    .sign(await importJWK(key, signingAlgorithm));
}
