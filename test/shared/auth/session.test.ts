import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIdentityProvider } from '../../../emulators/identity/server.ts';
import { Sessions } from '../../../shared/auth/session.ts';
import { makeClock } from '../../../shared/base/clock.ts';
import { CONSOLE_ORIGIN, signInByCode } from '../../support/code-flow.ts';
import { listen } from '../../support/second-service.ts';
import { AUDIENCE, goodClaims, ISSUER, PROVIDER_KEYS, signed } from '../../support/tokens.ts';

const good = goodClaims('ada');
const keys = Object.entries(PROVIDER_KEYS).map(([alg, { publicKey }]) => {
  return { ...publicKey.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' };
});
const provider = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
});
let jwksUrl: string;
beforeAll(async () => {
  jwksUrl = `http://127.0.0.1:${await listen(provider)}/jwks`;
});
afterAll(async () => {
  provider.close();
  await once(provider, 'close');
});

const refused = expect.objectContaining({ code: 'unauthorized', message: 'missing or invalid credentials' });

/** Returns the subject of a token, as a service that expects the given token type reads it. */
async function subjectOf(tokenType: 'at+jwt' | 'JWT', token: string) {
  const config = { issuer: ISSUER, audience: AUDIENCE, jwksUrl, tokenType };
  return (await new Sessions(config, makeClock()).verify(token)).subjectId;
}

describe('the type of an access token', () => {
  test.each([
    ['at+jwt', 'at+jwt'],
    ['at+jwt', 'AT+JWT'],
    ['at+jwt', 'application/at+jwt'],
    ['JWT', 'at+jwt'],
    ['JWT', 'JWT'],
    ['JWT', 'jwt'],
    ['JWT', 'application/jwt'],
    ['JWT', undefined],
  ] as const)('a service that expects %s accepts the token type %s', async (expected, typ) => {
    expect(await subjectOf(expected, signed(good, { typ }))).toMatch(/./);
  });

  test.each([
    ['at+jwt', undefined],
    ['at+jwt', 'JWT'],
    ['at+jwt', 'jwt'],
    ['at+jwt', 'at-jwt'],
    ['at+jwt', 'xat+jwt'],
    ['at+jwt', 'x/at+jwt'],
    ['at+jwt', null],
    ['at+jwt', ['at+jwt']],
    ['JWT', 'logout+jwt'],
    ['JWT', 'dpop+jwt'],
    ['JWT', ''],
    ['JWT', null],
  ] as const)('a service that expects %s refuses the token type %j', async (expected, typ) => {
    await expect(subjectOf(expected, signed(good, { typ }))).rejects.toEqual(refused);
  });
});

describe('ID tokens and access tokens', () => {
  test.each([
    ['a nonce', { nonce: 'n' }],
    ['a null nonce', { nonce: null }],
    ['an at_hash', { at_hash: 'h' }],
    ['a c_hash', { c_hash: 'h' }],
    ['a token_use', { token_use: 'id' }],
  ])('a token with %s is refused as an ID token, whatever its typ header says', async (_, claims) => {
    await expect(subjectOf('at+jwt', signed({ ...good, ...claims }))).rejects.toEqual(refused);
    await expect(subjectOf('JWT', signed({ ...good, ...claims }, { typ: 'JWT' }))).rejects.toEqual(refused);
  });

  test('an access token with token_use "access" is accepted', async () => {
    expect(await subjectOf('JWT', signed({ ...good, token_use: 'access' }))).toMatch(/./);
  });

  test('a real ID token is refused even by a service that is its audience; the access token of the same sign-in is accepted', async () => {
    const local = await startIdentityProvider({
      port: 0,
      audience: 'the-api',
      consoleOrigin: CONSOLE_ORIGIN,
      now: Date.now,
    });
    try {
      const address = `${local.issuer}${local.jwksPath}`;
      const { access_token, id_token } = await signInByCode(local.issuer, 'n');
      const sessionsFor = (audience: string, tokenType: 'at+jwt' | 'JWT') =>
        new Sessions({ issuer: local.issuer, audience, jwksUrl: address, tokenType }, makeClock());
      expect((await sessionsFor('the-api', 'at+jwt').verify(access_token)).email).toBe('ada@example.com');
      expect((await sessionsFor('the-api', 'at+jwt').verify(await local.mint({ sub: 'ada' }))).email).toBeNull();
      await jwtVerify(id_token, createRemoteJWKSet(new URL(address)), { issuer: local.issuer, audience: 'console' });
      for (const tokenType of ['at+jwt', 'JWT'] as const) {
        await expect(sessionsFor('console', tokenType).verify(id_token)).rejects.toEqual(refused);
      }
    } finally {
      await local.stop();
    }
  });
});

test.each([
  ['the token is not a JWT', 'opaque'],
  ['the token has expired', signed({ ...good, exp: 1 })],
  ['the claim iss is wrong', signed({ ...good, iss: 'https://other.example.com' })],
  ['the claim aud is wrong', signed({ ...good, aud: 'other' })],
  ['the claim nbf is wrong', signed({ ...good, nbf: Date.now() })],
  ['the claim sub is missing', signed({ ...good, sub: undefined })],
  ['the header typ is wrong', signed(good, { typ: 'logout+jwt' })],
  ['the token is an ID token, not an access token', signed({ ...good, nonce: 'n' })],
  ['the provider has no key with this kid', signed(good, { kid: 'unknown' })],
  ['the signature is wrong', `${signed(good).slice(0, -8)}AAAAAAAA`],
])('a refused token has a reason for the log, with nothing of the token: %s', async (reason, token) => {
  await expect(subjectOf('at+jwt', token)).rejects.toMatchObject({ code: 'unauthorized', details: { reason } });
});
