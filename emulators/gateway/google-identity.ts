import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen, portOf } from '../stack/listen.ts';

const issuer = 'https://accounts.google.com';
const keyId = 'local';
const validMs = 3_600_000;

/** Stands for Google where service accounts get their ID tokens. It goes by real time, as Google does. */
export type GoogleIdentity = {
  /** Where its public keys are. */
  readonly keysUrl: string;
  /** An ID token of a service account, which is good for half an hour at least. */
  readonly idToken: (email: string, audience: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Starts it on a free port of 127.0.0.1, with a key of its own. */
export async function startGoogleIdentity(): Promise<GoogleIdentity> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: keyId, alg: 'RS256', use: 'sig' }] });
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(keys);
  });
  await listen(server, 0);

  const sign = (email: string, audience: string): Promise<string> =>
    new SignJWT({ azp: email, email, email_verified: true })
      .setProtectedHeader({ alg: 'RS256', kid: keyId, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(email)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(new Date(Date.now() + validMs))
      .sign(privateKey);
  const made = new Map<string, { token: Promise<string>; at: number }>();

  return {
    keysUrl: `http://127.0.0.1:${portOf(server)}/`,
    idToken: (email, audience) => {
      const name = `${email} ${audience}`;
      const found = made.get(name);
      if (found !== undefined && Date.now() - found.at < validMs / 2) return found.token;
      const token = sign(email, audience);
      made.set(name, { token, at: Date.now() });
      return token;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
