import { randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { z } from 'zod';
import { StateFile } from '../base/state-file.ts';

/** The client id of the console, which is a public client without a secret. */
export const consoleClientId = 'console';

/** The default lifetime of an access token, in seconds. */
export const accessTokenSeconds = 3600;

/** A request for an access token. The identity provider supplies defaults for missing fields. */
export const tokenRequest = z.strictObject({
  sub: z.string().min(1),
  email: z.string().optional(),
  name: z.string().optional(),
  /** The lifetime in seconds. With a negative number, the token has already expired. */
  expires_in: z.int().optional(),
  audience: z.string().optional(),
  issuer: z.string().optional(),
  /** `stranger` signs the token with an unknown key, but names the id of the provider's published key. */
  signed_by: z.literal('stranger').optional(),
});

export type TokenRequest = z.output<typeof tokenRequest>;

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

export const signingAlgorithm = 'ES256';

const signingKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
  kid: z.string(),
  alg: z.literal(signingAlgorithm),
  use: z.literal('sig'),
});

/** A private key in JWK format. */
export type SigningKey = z.infer<typeof signingKey>;

/** Makes a new key. Its id is the JWK thumbprint (RFC 7638). */
async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return signingKey.parse({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: signingAlgorithm, use: 'sig' });
}

/** Returns the key in the file. If there is no file, creates a key and saves it, if possible. */
export async function openSigningKey(path: string | undefined): Promise<SigningKey> {
  const file = new StateFile(path, signingKey);
  const saved = file.read();
  if (saved !== undefined) return saved;
  const key = await makeSigningKey();
  file.save(key);
  return key;
}
