import type { JWK } from 'jose';
import { z } from 'zod';
import type { Algorithm } from './id-token.ts';

const MIN_RSA_BITS = 2_048;

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const named = { kid: z.string(), alg: z.string().optional(), use: z.literal('sig').optional() };
const publishedKey = z.discriminatedUnion('kty', [
  z.object({ ...named, kty: z.literal('RSA'), n: base64url, e: base64url }),
  z.object({ ...named, kty: z.literal('EC'), crv: z.literal('P-256'), x: base64url, y: base64url }),
  z.object({ ...named, kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: base64url }),
]);
const keySet = z.object({ keys: z.array(z.unknown()) });

/** A public key of an issuer that can verify ID tokens. */
export interface PublishedKey {
  readonly kid: string;
  readonly algorithms: readonly Algorithm[];
  /** The key without its name and algorithm. */
  readonly jwk: JWK;
  /** The same as text, to see whether a key is still published. */
  readonly text: string;
}

/** Returns the usable keys of a JWKS, and ignores all others. Throws a `ZodError` if it is not a JWKS. */
export function parseKeySet(body: unknown): PublishedKey[] {
  return keySet.parse(body).keys.flatMap((one) => {
    const { success, data } = publishedKey.safeParse(one);
    if (!success) return [];
    const { kid, alg, use: _, ...jwk } = data;
    const algorithms = algorithmsOf(data).filter((one) => alg === undefined || nameOf(one) === nameOf(alg));
    return algorithms.length === 0 ? [] : [{ kid, algorithms, jwk, text: JSON.stringify(jwk) }];
  });
}

function algorithmsOf(key: z.output<typeof publishedKey>): readonly Algorithm[] {
  if (key.kty === 'EC') return ['ES256'];
  if (key.kty === 'OKP') return ['EdDSA', 'Ed25519'];
  return bitsOf(key.n) >= MIN_RSA_BITS ? ['RS256', 'PS256'] : [];
}

/** RFC 9864 renamed `EdDSA` with the curve Ed25519 to `Ed25519`. */
function nameOf(alg: string): string {
  return alg === 'EdDSA' ? 'Ed25519' : alg;
}

function bitsOf(modulus: string): number {
  return BigInt(`0x0${Buffer.from(modulus, 'base64url').toString('hex')}`).toString(2).length;
}
