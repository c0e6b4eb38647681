import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { type IdentityProvider, startIdentityProvider } from '../../emulators/identity/server.ts';
import {
  CONSOLE_ORIGIN,
  exchangeCode,
  makeChallenge,
  REDIRECT_URI,
  signInAtPage,
  tokensOfCode,
} from '../support/code-flow.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const october = Date.parse('2026-10-31T23:59:59Z');
const running: IdentityProvider[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.stop()));
});

async function start(options: { file?: string; now?: () => number } = {}): Promise<IdentityProvider> {
  const provider = await startIdentityProvider({
    port: 0,
    audience: 'encryption-service',
    consoleOrigin: CONSOLE_ORIGIN,
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
  test('a minted token verifies with the published keys and is valid for an hour by the given clock', async () => {
    const provider = await start();
    const payload = await verify(provider, await provider.mint({ sub: 'ada', email: 'ada@example.com', name: 'Ada' }));
    expect(payload).toMatchObject({ sub: 'ada', email: 'ada@example.com', name: 'Ada', client_id: 'console' });
    expect(payload.iat).toBe(1793491199);
    expect(payload.exp).toBe(1793494799);
  });

  test('a minted token has no email and no name unless they are given', async () => {
    const provider = await start();
    const payload = await verify(provider, await provider.mint({ sub: 'ada' }));
    expect(payload).not.toHaveProperty('email');
    expect(payload).not.toHaveProperty('name');
  });

  test.each([
    ['has expired', { expires_in: -1 }, 'ERR_JWT_EXPIRED'],
    ['is for another audience', { audience: 'other' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['is from another issuer', { issuer: 'https://other.example' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    [
      'is signed by another key with the same key id',
      { signed_by: 'stranger' },
      'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    ],
  ] as const)('a minted token that %s does not verify', async (_, request, code) => {
    const provider = await start();
    await expect(verify(provider, await provider.mint({ sub: 'ada', ...request }))).rejects.toMatchObject({ code });
  });
});

test('a token from before a restart still verifies, because the signing key is kept', async () => {
  const file = join(temporaryFolder('identity'), 'key.json');
  const before = await start({ file });
  const token = await before.mint({ sub: 'ada', issuer: 'https://issuer.example' });
  await before.stop();
  const after = await start({ file });
  const keys = createRemoteJWKSet(new URL(after.jwksPath, after.issuer));
  const { payload } = await jwtVerify(token, keys, { currentDate: new Date(october) });
  expect(payload.sub).toBe('ada');
});

test('a provider whose signing key cannot be saved starts, reports it, and leaves no part of a key', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const file = join(temporaryFolder('identity'), 'key.json');
  mkdirSync(`${file}.new`);
  await start({ file });
  expect(written.mock.calls).toEqual([[expect.stringContaining(`Nothing can be saved to ${file} (EISDIR`)]]);
  expect(existsSync(file)).toBe(false);
});

test('a start on a port in use fails with EADDRINUSE', async () => {
  const provider = await start();
  const again = startIdentityProvider({
    port: Number(new URL(provider.issuer).port),
    audience: 'encryption-service',
    consoleOrigin: CONSOLE_ORIGIN,
    now: Date.now,
  });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

describe('authorization code with PKCE', () => {
  const { verifier, challenge } = makeChallenge();

  test('a sign-in returns an access token for the service, which is valid by the given clock', async () => {
    const provider = await start();
    const callback = await signInAtPage(provider.issuer, challenge);
    expect(`${callback.origin}${callback.pathname}`).toBe(REDIRECT_URI);
    expect(callback.searchParams.get('state')).toBe('s');
    const answer = await exchangeCode(provider.issuer, callback.searchParams.get('code') ?? '', verifier);
    expect(answer.headers.get('access-control-allow-origin')).toBe(CONSOLE_ORIGIN);
    const { access_token } = tokensOfCode.parse(await answer.json());
    expect(await verify(provider, access_token)).toMatchObject({ sub: 'ada', email: 'ada@example.com', name: 'Ada' });
  });

  test('an authorization code is refused without the right PKCE verifier', async () => {
    const provider = await start();
    const callback = await signInAtPage(provider.issuer, challenge);
    const answer = await exchangeCode(provider.issuer, callback.searchParams.get('code') ?? '', 'x'.repeat(43));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a sign-in without a PKCE challenge is refused', async () => {
    const callback = await signInAtPage((await start()).issuer, {});
    expect(callback.searchParams.get('error')).toBe('invalid_request');
  });

  test('a login form that belongs to no sign-in is refused', async () => {
    const provider = await start();
    const body = new URLSearchParams({ subject: 'ada' });
    const answer = await fetch(`${provider.issuer}/interaction/none`, { method: 'POST', body });
    expect(answer.status).toBe(400);
  });
});

describe('sign-ins of programs on a person’s machine', () => {
  const { verifier, challenge } = makeChallenge();
  const redirect_uri = 'http://127.0.0.1:41234/callback';
  const tokens = tokensOfCode.extend({ refresh_token: z.string() });

  async function signIn(provider: IdentityProvider) {
    const callback = await signInAtPage(provider.issuer, { ...challenge, redirect_uri });
    expect(`${callback.origin}${callback.pathname}`).toBe(redirect_uri);
    const code = callback.searchParams.get('code') ?? '';
    return tokens.parse(await (await exchangeCode(provider.issuer, code, verifier, redirect_uri)).json());
  }
  const post = (provider: IdentityProvider, path: string, fields: Record<string, string>) =>
    fetch(`${provider.issuer}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'console', ...fields }),
    });

  test('a program on a person’s machine may choose any loopback port for the redirect, and can renew its tokens', async () => {
    const provider = await start();
    const { refresh_token } = await signIn(provider);
    const answer = await post(provider, '/token', { grant_type: 'refresh_token', refresh_token });
    const { access_token, refresh_token: next } = tokens.parse(await answer.json());
    expect(await verify(provider, access_token)).toMatchObject({ sub: 'ada', email: 'ada@example.com' });
    expect(next).not.toBe(refresh_token);
  });

  test('a program can revoke its refresh token', async () => {
    const provider = await start();
    const { refresh_token } = await signIn(provider);
    expect((await post(provider, '/token/revocation', { token: refresh_token })).status).toBe(200);
    const answer = await post(provider, '/token', { grant_type: 'refresh_token', refresh_token });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a program on a person’s machine gets a refresh token, and the console gets none', async () => {
    const provider = await start();
    const callback = await signInAtPage(provider.issuer, challenge);
    const answer = await exchangeCode(provider.issuer, callback.searchParams.get('code') ?? '', verifier);
    expect(await answer.json()).not.toHaveProperty('refresh_token');
  });

  test('a sign-in that would redirect to another machine is refused', async () => {
    const { authorization_endpoint } = z
      .object({ authorization_endpoint: z.url() })
      .parse(await (await fetch(`${(await start()).issuer}/.well-known/openid-configuration`)).json());
    const query = { client_id: 'console', response_type: 'code', scope: 'openid', ...challenge };
    const elsewhere = new URLSearchParams({ ...query, redirect_uri: 'http://192.0.2.1:41234/callback' });
    const answer = await fetch(`${authorization_endpoint}?${elsewhere}`, { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('invalid_redirect_uri');
  });
});
