import { createServer } from 'node:http';
import { CompactSign, importJWK } from 'jose';
import { z } from 'zod';
import { close, listen, portOf, urlOf } from '../base/listen.ts';
import { openSigningKey, signingAlgorithm } from './tokens.ts';

/** The default lifetime of an ID token, in seconds. */
const LIFETIME_S = 600;

/** A request for an ID token of a workload. */
export const workloadTokenRequest = z.strictObject({
  audience: z.union([z.string(), z.array(z.string())]).optional(),
  /** Any members of the payload. They replace the members that the issuer would add, such as `nbf` or `iat`. */
  // A `z.record` would drop a claim with the name `__proto__`.
  claims: z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object').optional(),
  /** The lifetime in seconds. With a negative number, the token has already expired. */
  expires_in: z.number().optional(),
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type WorkloadIssuer = {
  readonly issuer: string;
  /** Signs an ID token. The token's times follow the stack's clock. */
  readonly mint: (request: z.output<typeof workloadTokenRequest>) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * Starts an issuer of ID tokens for workloads, as GitHub Actions or a Kubernetes cluster has one. Serves a discovery
 * document and the public keys. Rejects with the code `EADDRINUSE` if the port is taken.
 */
export async function startWorkloadIssuer(options: {
  port: number;
  /** Where the signing key is stored, if it is. */
  file?: string | undefined;
  /** Returns milliseconds since the epoch. */
  now: () => number;
}): Promise<WorkloadIssuer> {
  const key = await openSigningKey(options.file);
  const { d: _, ...publicKey } = key;
  const server = createServer();
  await listen(server, options.port);
  const issuer = `http://127.0.0.1:${portOf(server)}`;
  const documents = new Map<string | undefined, object>([
    [
      '/.well-known/openid-configuration',
      { issuer, jwks_uri: `${issuer}/jwks`, id_token_signing_alg_values_supported: [signingAlgorithm] },
    ],
    ['/jwks', { keys: [publicKey] }],
  ]);
  server.on('request', (request, response) => {
    const found = documents.get(urlOf(request)?.pathname);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { error: 'not_found' }));
  });
  const privateKey = await importJWK(key, signingAlgorithm);
  return {
    issuer,
    mint({ audience, claims, expires_in = LIFETIME_S }) {
      const iat = Math.floor(options.now() / 1000);
      const payload = { iss: issuer, aud: audience, iat, exp: iat + expires_in, ...claims };
      return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader({ alg: signingAlgorithm, typ: 'JWT', kid: key.kid })
        .sign(privateKey);
    },
    stop: () => close(server),
  };
}
