import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type IdentityProvider, startIdentityProvider } from '../../emulators/identity/server.ts';

const consoleOrigin = 'http://localhost:5173';
const redirectUri = `${consoleOrigin}/callback`;
const october = Date.parse('2026-10-31T23:59:59Z');
const running: IdentityProvider[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.stop()));
});

async function start(options: { file?: string; now?: () => number } = {}): Promise<IdentityProvider> {
  const provider = await startIdentityProvider({
    port: 0,
    audience: 'encryption-service',
    consoleOrigin,
    now: () => october,
    ...options,
  });
  running.push(provider);
  return provider;
}

async function verify(provider: IdentityProvider, token: string): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(provider.jwksPath, provider.issuer));
  const { payload } = await jwtVerify(token, keys, {
    issuer: provider.issuer,
    audience: 'encryption-service',
    algorithms: ['ES256'],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'iat', 'exp', 'jti', 'client_id'],
    currentDate: new Date(october),
  });
  return payload;
}

describe('a minted token', () => {
  test('is one that the published keys verify, valid for an hour by the given clock', async () => {
    const provider = await start();
    const payload = await verify(provider, await provider.mint({ sub: 'ada', email: 'ada@example.com', name: 'Ada' }));
    expect(payload).toMatchObject({ sub: 'ada', email: 'ada@example.com', name: 'Ada', client_id: 'console' });
    expect(payload.iat).toBe(1793491199);
    expect(payload.exp).toBe(1793494799);
  });

  test('says nothing of email and name unless told', async () => {
    const provider = await start();
    const payload = await verify(provider, await provider.mint({ sub: 'ada' }));
    expect(payload).not.toHaveProperty('email');
    expect(payload).not.toHaveProperty('name');
  });

  test.each([
    ['has expired', { expires_in: -1 }, 'ERR_JWT_EXPIRED'],
    ['is for another audience', { audience: 'other' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['is from another issuer', { issuer: 'https://other.example' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['a stranger signed under the same key id', { signed_by: 'stranger' }, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
  ] as const)('that %s does not verify', async (_what, request, code) => {
    const provider = await start();
    await expect(verify(provider, await provider.mint({ sub: 'ada', ...request }))).rejects.toMatchObject({ code });
  });
});

test('tokens outlive a restart, as the signing key is kept', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'identity-')), 'key.json');
  const before = await start({ file });
  const token = await before.mint({ sub: 'ada', issuer: 'https://issuer.example' });
  await before.stop();
  const after = await start({ file });
  const keys = createRemoteJWKSet(new URL(after.jwksPath, after.issuer));
  const { payload } = await jwtVerify(token, keys, { currentDate: new Date(october) });
  expect(payload.sub).toBe('ada');
});

test('a port that is taken is EADDRINUSE', async () => {
  const provider = await start();
  const again = startIdentityProvider({
    port: Number(new URL(provider.issuer).port),
    audience: 'encryption-service',
    consoleOrigin,
    now: Date.now,
  });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

/** Follows redirects by hand, keeping cookies as a browser does. */
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

const discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  code_challenge_methods_supported: z.array(z.string()),
});
const tokens = z.object({ access_token: z.string(), id_token: z.string(), token_type: z.literal('Bearer') });

async function discover(provider: IdentityProvider): Promise<z.infer<typeof discovery>> {
  const response = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
  return discovery.parse(await response.json());
}

async function signIn(provider: IdentityProvider, challenge: Record<string, string>): Promise<URL> {
  const { authorization_endpoint } = await discover(provider);
  const visit = browser();
  const location = (response: Response, base: string | URL) => new URL(response.headers.get('location') ?? '', base);
  const query = { client_id: 'console', response_type: 'code', redirect_uri: redirectUri, scope: 'openid', state: 's' };
  const first = await visit(`${authorization_endpoint}?${new URLSearchParams({ ...query, ...challenge })}`);
  let next = location(first, authorization_endpoint);
  if (next.origin === consoleOrigin) return next;
  expect(await (await visit(next)).text()).toContain('<form method="post">');
  const body = new URLSearchParams({ subject: 'ada', email: 'ada@example.com', name: 'Ada' });
  next = location(await visit(next, { method: 'POST', body }), next);
  return location(await visit(next), next);
}

describe('authorization code with PKCE', () => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };

  async function exchange(provider: IdentityProvider, code: string, codeVerifier: string): Promise<Response> {
    const { token_endpoint } = await discover(provider);
    return fetch(token_endpoint, {
      method: 'POST',
      headers: { origin: consoleOrigin },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'console',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      }),
    });
  }

  test('gives an access token for the service, by the given clock', async () => {
    const provider = await start();
    const callback = await signIn(provider, challenge);
    expect(`${callback.origin}${callback.pathname}`).toBe(redirectUri);
    expect(callback.searchParams.get('state')).toBe('s');
    const answer = await exchange(provider, callback.searchParams.get('code') ?? '', verifier);
    expect(answer.headers.get('access-control-allow-origin')).toBe(consoleOrigin);
    const { access_token } = tokens.parse(await answer.json());
    expect(await verify(provider, access_token)).toMatchObject({ sub: 'ada', email: 'ada@example.com', name: 'Ada' });
  });

  test('refuses a code without its verifier', async () => {
    const provider = await start();
    const callback = await signIn(provider, challenge);
    const answer = await exchange(provider, callback.searchParams.get('code') ?? '', 'x'.repeat(43));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('is the only way: a request without a challenge is refused', async () => {
    const callback = await signIn(await start(), {});
    expect(callback.searchParams.get('error')).toBe('invalid_request');
  });

  test('refuses a login that nobody asked for', async () => {
    const provider = await start();
    const body = new URLSearchParams({ subject: 'ada' });
    const answer = await fetch(`${provider.issuer}/interaction/none`, { method: 'POST', body });
    expect(answer.status).toBe(400);
  });
});
