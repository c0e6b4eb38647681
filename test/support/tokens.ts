import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export const ISSUER = 'https://sign-in.example';
export const AUDIENCE = 'the-console';

/** The identity provider's keys by algorithm. The name of the algorithm is also the id of the key. */
export const PROVIDER_KEYS = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
};

/** The claims of a token, with times in seconds. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns valid claims for a subject. */
export function goodClaims(sub: string): Claims {
  const now = Math.floor(Date.now() / 1000);
  return { iss: ISSUER, aud: AUDIENCE, sub, iat: now, exp: now + 600 };
}

/** Returns a compact JWS of any header and payload, valid or not. */
export function assemble(header: unknown, payload: unknown, signer: (input: Buffer) => Buffer): string {
  const input = [header, payload].map(encode).join('.');
  return `${input}.${signer(Buffer.from(input)).toString('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Returns a function that signs with ES256 (RFC 7518 §3.4). */
export function es256(key: KeyObject): (input: Buffer) => Buffer {
  return (input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
}

/** Returns an access token that the provider signed with ES256. */
export function signed(claims: unknown, header: object = {}): string {
  return assemble(
    { alg: 'ES256', kid: 'ES256', typ: 'at+jwt', ...header },
    claims,
    es256(PROVIDER_KEYS.ES256.privateKey),
  );
}
