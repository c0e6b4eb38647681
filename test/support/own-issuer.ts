import { createServer } from 'node:http';
import type { Addresses } from './client.ts';
import { listen, startSecondService } from './second-service.ts';
import { AUDIENCE, ISSUER, PROVIDER_KEYS } from './tokens.ts';

/** A process of the service for which the test acts as the identity provider. */
export interface ServiceOfOwnIssuer extends Addresses {
  /** Returns how often the process has fetched the provider's keys. */
  fetches(): number;
  stop(): Promise<void>;
}

/**
 * Starts a process of the service that uses the stack’s dependencies, except that the test is the identity provider.
 */
export async function startWithOwnIssuer(stack: Addresses): Promise<ServiceOfOwnIssuer> {
  const keys = Object.entries(PROVIDER_KEYS).map(([alg, { publicKey }]) => {
    return { ...publicKey.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' };
  });
  let fetches = 0;
  const provider = createServer((_, response) => {
    fetches++;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  });
  const jwksPort = await listen(provider);
  const service = await startSecondService(stack, {
    IDENTITY_ISSUER: ISSUER,
    IDENTITY_AUDIENCE: AUDIENCE,
    IDENTITY_JWKS_URL: `http://127.0.0.1:${jwksPort}/jwks`,
  });
  const stop = async () => {
    await service.stop();
    provider.close();
  };
  return { ...service, fetches: () => fetches, stop };
}
