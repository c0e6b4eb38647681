import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { consoleOriginOf, DEFAULT_PORT, portsFrom } from '../../emulators/stack/ports.ts';

/** The console's origin at the default port. */
export const CONSOLE_ORIGIN = consoleOriginOf(portsFrom(DEFAULT_PORT));

/** The address to which the identity provider redirects after a sign-in at the console. */
export const REDIRECT_URI = `${CONSOLE_ORIGIN}/callback`;

/** Makes a PKCE verifier and its challenge (RFC 7636) for a sign-in. */
export function makeChallenge() {
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge: { code_challenge, code_challenge_method: 'S256' } };
}

const discovery = z.object({ authorization_endpoint: z.url(), token_endpoint: z.url() });

async function discover(issuer: string): Promise<z.infer<typeof discovery>> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  return discovery.parse(await response.json());
}

/** Follows redirects and keeps cookies like a browser. */
function browser() {
  const cookies = new Map<string, string>();
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    return response;
  };
}

/**
 * Signs in the person Ada at the local provider's page. `more` adds parameters to the authorization request or replaces
 * them. Returns the address to which the provider redirects.
 */
export async function signInAtPage(issuer: string, more: Record<string, string>): Promise<URL> {
  const { authorization_endpoint } = await discover(issuer);
  const query = {
    client_id: 'console',
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    state: 's',
  };
  const ada = { subject: 'ada', email: 'ada@example.com', name: 'Ada' };
  return signInFrom(new URL(`${authorization_endpoint}?${new URLSearchParams({ ...query, ...more })}`), ada);
}

/** Opens a program’s authorization URL and signs the person in. Returns the address to which the provider redirects. */
export async function signInFrom(address: URL, person: Record<string, string>): Promise<URL> {
  const visit = browser();
  const location = (response: Response, base: URL) => new URL(response.headers.get('location') ?? '', base);
  let next = location(await visit(address), address);
  if (next.origin !== address.origin) return next;
  expect(await (await visit(next)).text()).toContain('<form method="post">');
  next = location(await visit(next, { method: 'POST', body: new URLSearchParams(person) }), next);
  return location(await visit(next), next);
}

/** Exchanges the code of a sign-in in the console for tokens. */
export async function exchangeCode(issuer: string, code: string, verifier: string): Promise<Response> {
  const { token_endpoint } = await discover(issuer);
  return fetch(token_endpoint, {
    method: 'POST',
    headers: { origin: CONSOLE_ORIGIN },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'console',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }),
  });
}

/** The tokens that the provider returns for an authorization code. */
export const tokensOfCode = z.object({
  access_token: z.string(),
  id_token: z.string(),
  token_type: z.literal('Bearer'),
});

/** Signs in the person Ada as the console does, with `nonce` in the ID token. */
export async function signInByCode(issuer: string, nonce: string): Promise<z.infer<typeof tokensOfCode>> {
  const { verifier, challenge } = makeChallenge();
  const callback = await signInAtPage(issuer, { ...challenge, nonce });
  const answer = await exchangeCode(issuer, callback.searchParams.get('code') ?? '', verifier);
  return tokensOfCode.parse(await answer.json());
}
