import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { close, listen, portOf } from '../base/listen.ts';

const ISSUER = 'https://accounts.google.com';
const KEY_ID = 'local';
const VALID_MS = 3_600_000;

interface GoogleIdentity {
  /** The URL of the public keys, as a JWKS. */
  readonly keysUrl: string;
  /** Returns an ID token for a service account, valid for at least another half hour. */
  idToken(email: string, audience: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an issuer of ID tokens on a free port, with a new key. `now` returns milliseconds since the epoch. */
export async function startGoogleIdentity(now: () => number): Promise<GoogleIdentity> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }] });
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(keys);
  });
  await listen(server, 0);

  const sign = (email: string, audience: string) =>
    new SignJWT({ azp: email, email, email_verified: true })
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setSubject(email)
      .setAudience(audience)
      .setIssuedAt(new Date(now()))
      .setExpirationTime(new Date(now() + VALID_MS))
      .sign(privateKey);
  const made = new Map<string, { token: Promise<string>; at: number }>();

  return {
    keysUrl: `http://127.0.0.1:${portOf(server)}/`,
    idToken(email, audience) {
      const name = `${email} ${audience}`;
      const found = made.get(name);
      if (found !== undefined && Math.abs(now() - found.at) < VALID_MS / 2) return found.token;
      const token = sign(email, audience);
      made.set(name, { token, at: now() });
      return token;
    },
    stop: () => close(server),
  };
}
