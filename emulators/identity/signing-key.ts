import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';
import { reportUnsaved } from '../base/start-error.ts';

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
export async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return signingKey.parse({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: signingAlgorithm, use: 'sig' });
}

/**
 * Reads the key from the file. If the file is missing, creates a key and saves it, if possible. Without a file name,
 * creates a key that is not saved.
 */
export async function openSigningKey(file: string | undefined): Promise<SigningKey> {
  if (file === undefined) return makeSigningKey();
  if (existsSync(file)) return signingKey.parse(JSON.parse(readFileSync(file, 'utf8')));
  const key = await makeSigningKey();
  try {
    // A full disk must not leave part of a key under the final name.
    writeFileSync(`${file}.new`, JSON.stringify(key), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    reportUnsaved(file, error);
  }
  return key;
}
