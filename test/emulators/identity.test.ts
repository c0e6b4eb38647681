import { join } from 'node:path';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startIdentityProvider } from '../../emulators/identity/server.ts';
import { startWorkloadIssuer } from '../../emulators/identity/workload-issuer.ts';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { variables } from '../../shared/config.ts';
import {
  CONSOLE_ORIGIN,
  exchangeCode,
  makeChallenge,
  REDIRECT_URI,
  signInAtPage,
  tokensOfCode,
} from '../support/code-flow.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The provider is `oidc-provider`. These tests check how the stack configures it.

const OCTOBER = Date.parse('2026-10-31T23:59:59Z');
const person = { sub: 'ada', email: 'ada@example.com', name: 'Ada' };
const { verifier, challenge } = makeChallenge();

const start = async (options: { file?: string; port?: number } = {}) => {
  const own = { port: 0, audience: 'encryption-service', consoleOrigin: CONSOLE_ORIGIN, now: () => OCTOBER };
  const provider = await startIdentityProvider({ ...own, ...options });
  onTestFinished(() => provider.stop());
  const keys = createRemoteJWKSet(new URL(provider.jwksPath, provider.issuer));
  const verify = async (token: string) => {
    const { payload } = await jwtVerify(token, keys, {
      issuer: provider.issuer,
      audience: 'encryption-service',
      algorithms: ['ES256'],
      typ: 'at+jwt',
      requiredClaims: ['sub', 'iat', 'exp', 'jti', 'client_id'],
      currentDate: new Date(OCTOBER),
    });
    return payload;
  };
  /** Signs in on the page of the provider, and exchanges the code. */
  const signIn = async (proof = verifier) => {
    const callback = await signInAtPage(provider.issuer, challenge);
    expect(`${callback.origin}${callback.pathname}`).toBe(REDIRECT_URI);
    return exchangeCode(provider.issuer, callback.searchParams.get('code') ?? '', proof);
  };
  return { provider, keys, verify, signIn };
};

test('a minted token verifies with the published keys and is valid for an hour by the given clock', async () => {
  const { provider, verify } = await start();
  const times = { client_id: 'console', iat: 1793491199, exp: 1793494799 };
  expect(await verify(await provider.mint(person))).toMatchObject({ ...person, ...times });
  const bare = await verify(await provider.mint({ sub: 'ada' }));
  expect([bare.email, bare.name]).toEqual([undefined, undefined]);
});

test('a token from before a restart still verifies, because the signing key is kept', async () => {
  const file = join(temporaryFolder('identity'), 'key.json');
  const before = await start({ file });
  const token = await before.provider.mint({ sub: 'ada', issuer: 'https://issuer.example' });
  await before.provider.stop();
  const { payload } = await jwtVerify(token, (await start({ file })).keys, { currentDate: new Date(OCTOBER) });
  expect(payload.sub).toBe('ada');
});

test('a sign-in gives the console a token for the service, and no refresh token', async () => {
  const { signIn, verify } = await start();
  const answer = await signIn();
  expect(answer.headers.get('access-control-allow-origin')).toBe(CONSOLE_ORIGIN);
  const tokens: unknown = await answer.json();
  expect(await verify(tokensOfCode.parse(tokens).access_token)).toMatchObject(person);
  expect(tokens).not.toHaveProperty('refresh_token');
});

test('a sign-in without PKCE, with another verifier, for no request or for another machine is refused', async () => {
  const { provider, signIn } = await start();
  const without = await signInAtPage(provider.issuer, {});
  expect(without.searchParams.get('error')).toBe('invalid_request');
  const answer = await signIn('x'.repeat(43));
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  expect((await fetch(`${provider.issuer}/interaction/none`, { method: 'POST' })).status).toBe(400);
  const { authorization_endpoint } = z
    .object({ authorization_endpoint: z.url() })
    .parse(await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json());
  const query = { client_id: 'console', response_type: 'code', scope: 'openid', ...challenge };
  const elsewhere = new URLSearchParams({ ...query, redirect_uri: 'http://192.0.2.1:41234/callback' });
  const refused = await fetch(`${authorization_endpoint}?${elsewhere}`, { redirect: 'manual' });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('invalid_redirect_uri')]);
});

test('an ID token of the workload issuer has the times of its clock, and any claims', async () => {
  const nowS = 1_800_000_000;
  const { issuer, mint, stop } = await startWorkloadIssuer({ port: 0, now: () => nowS * 1000 });
  onTestFinished(stop);
  const token = await mint({ audience: ['a'], claims: { sub: 'job' }, expires_in: 60 });
  expect(decodeJwt(token)).toEqual({ iss: issuer, aud: ['a'], sub: 'job', iat: nowS, exp: nowS + 60 });
  const claims = { nbf: 1, iat: 2, iss: 'https://a.example', deep: { list: [null] } };
  expect(decodeJwt(await mint({ claims, expires_in: -1 }))).toEqual({ ...claims, exp: nowS - 1 });
});

const at = { port: 1 };
const options = {
  flavour: { billing: false, console: false, wrappedRoot: true, transit: true },
  ports: portsFrom(8080),
  proxies: { kms: at, pdp: at, idp: at, stripe: at, firestore: at },
};

test('the service of a stack inherits no setting of the service from the environment', () => {
  const inherited = Object.fromEntries(Object.keys(variables.shape).map((name) => [name, '["inherited"]']));
  const { WORKLOAD_ISSUERS, ...own } = serviceEnvironment({ ...options, inherited });
  expect(Object.entries(own).filter(([, value]) => value === '["inherited"]')).toEqual([]);
});

test('the service of a stack accepts its own workload issuer and those of the environment', () => {
  const added = { issuer: 'https://a.example', claims: ['sub'], max_lifetime: 60 };
  const issuersWith = (WORKLOAD_ISSUERS?: string) =>
    JSON.parse(serviceEnvironment({ ...options, inherited: { WORKLOAD_ISSUERS } }).WORKLOAD_ISSUERS ?? '');
  const own = { issuer: 'http://127.0.0.1:8084', claims: ['sub', 'repository_id'] };
  expect(issuersWith()).toEqual([own]);
  expect(issuersWith(JSON.stringify([added]))).toEqual([own, added]);
});
