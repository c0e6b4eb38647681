import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { z } from 'zod';
import { type Addresses, control, send, text } from './client.ts';
import { listen, type SecondService, startSecondService } from './second-service.ts';
import { assemble, type Claims, es256 } from './tokens.ts';

const signIn = z.object({
  workload_issuers: z.array(z.object({ issuer: z.string(), claims: z.array(z.string()) })),
});

/** Returns a workload issuer that the service accepts, whose federations need only the claim `sub`. */
export async function acceptedIssuer({ baseUrl }: Addresses): Promise<string> {
  const { workload_issuers } = signIn.parse((await send('GET', `${baseUrl}/v1/sign-in`)).body);
  const found = workload_issuers.find(({ claims }) => claims.includes('sub'));
  if (found === undefined) throw new Error('the service accepts no such issuer');
  return found.issuer;
}

/** Returns an ID token of the stack's own workload issuer for an API key. */
export async function workloadToken(stack: Addresses, apiKeyId: string, claims: Claims = {}): Promise<string> {
  const request = { audience: `urn:uuid:${apiKeyId}`, claims };
  return text(await control(stack, 'POST', '/workload-tokens', request), 'token');
}

/** The keys of a test's own issuer. The name is the id of the key. */
export const ISSUER_KEYS = {
  es: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  short: generateKeyPairSync('rsa', { modulusLength: 1024 }),
  ed: generateKeyPairSync('ed25519'),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
};

type Algorithm = 'ES256' | 'RS256' | 'PS256' | 'EdDSA' | 'Ed25519';

const SIGNERS: Readonly<Record<Algorithm, (key: KeyObject) => (input: Buffer) => Buffer>> = {
  ES256: es256,
  RS256: (key) => (input) => sign('sha256', input, key),
  PS256: (key) => (input) => sign('sha256', input, { key, padding: 6, saltLength: 32 }),
  EdDSA: (key) => (input) => sign(null, input, key),
  Ed25519: (key) => (input) => sign(null, input, key),
};

/** Signs a payload, which can be any text, with a key of the issuer. */
export function signedBy(key: keyof typeof ISSUER_KEYS, alg: Algorithm, payload: unknown, header: object = {}): string {
  return assemble({ alg, kid: key, ...header }, payload, SIGNERS[alg](ISSUER_KEYS[key].privateKey));
}

/** An issuer of ID tokens that the test controls. */
export interface TestIssuer {
  readonly issuer: string;
  /** The keys that it publishes. */
  keys: object[];
  /** Its discovery document, if it is not the right one. */
  discovery: object | undefined;
  /** Answers a request instead of the issuer, if set. */
  answer:
    | ((path: string) => { readonly status: number; readonly headers?: object; readonly body: string } | 'nothing')
    | undefined;
  /** Returns how often the keys were read. */
  reads(): number;
  stop(): void;
}

export function publicJwk(key: keyof typeof ISSUER_KEYS, more: object = {}): object {
  return { ...ISSUER_KEYS[key].publicKey.export({ format: 'jwk' }), kid: key, ...more };
}

export async function startTestIssuer(): Promise<TestIssuer> {
  let reads = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/.well-known/openid-configuration') reads++;
    const own = issuer.answer?.(path);
    if (own === 'nothing') return;
    const document = path === '/jwks' ? { keys: issuer.keys } : (issuer.discovery ?? standard());
    const { status, headers, body } = own ?? { status: 200, headers: {}, body: JSON.stringify(document) };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  const standard = () => ({ issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/jwks` });
  const issuer: TestIssuer = {
    issuer: `http://127.0.0.1:${await listen(server)}`,
    keys: [publicJwk('es'), publicJwk('rsa'), publicJwk('short'), publicJwk('ed'), publicJwk('p384')],
    discovery: undefined,
    answer: undefined,
    reads: () => reads,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return issuer;
}

/** Starts a process of the service that accepts ID tokens of the issuers. It has no console. */
export function startWithIssuers(
  stack: Addresses,
  issuers: readonly object[],
  more: NodeJS.ProcessEnv = {},
): Promise<SecondService> {
  return startSecondService(stack, { WORKLOAD_ISSUERS: JSON.stringify(issuers), ...more });
}
