import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIdentityProvider } from '../../../emulators/identity/server.ts';
import { readCredential } from '../../../shared/auth/credential.ts';
import { Invoker } from '../../../shared/auth/invoker.ts';
import { Sessions } from '../../../shared/auth/session.ts';
import { makeClock } from '../../../shared/base/clock.ts';
import { CONSOLE_ORIGIN, signInByCode } from '../../support/code-flow.ts';
import { listen } from '../../support/second-service.ts';
import {
  AUDIENCE,
  assemble,
  type Claims,
  goodClaims,
  ISSUER,
  PROVIDER_KEYS,
  signed as signedByProvider,
} from '../../support/tokens.ts';

const good = goodClaims('ada');
const published = Object.entries(PROVIDER_KEYS).map(([alg, { publicKey }]) => {
  return { ...publicKey.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' };
});
const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publishedByGoogle = [{ ...google.publicKey.export({ format: 'jwk' }), kid: 'g', alg: 'RS256', use: 'sig' }];

/** The keys that the server publishes, by path. */
const DOCUMENTS: Readonly<Record<string, unknown>> = {
  '/jwks': { keys: published },
  '/google': { keys: publishedByGoogle },
  '/broken': 'no keys',
};
const provider = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(DOCUMENTS[request.url ?? '']));
});
let address: string;
beforeAll(async () => {
  address = `http://127.0.0.1:${await listen(provider)}`;
});
afterAll(async () => {
  provider.close();
  await once(provider, 'close');
});

const unauthorized = expect.objectContaining({ code: 'unauthorized', message: 'missing or invalid credentials' });

/** Returns the subject of a token, as a service that expects the given token type reads it. */
async function subjectOf(tokenType: 'at+jwt' | 'JWT', token: string) {
  const config = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: `${address}/jwks`, tokenType };
  return (await new Sessions(config, makeClock()).verify(token)).subjectId;
}

/** The `typ` headers that a service accepts and refuses, by the token type that it expects. */
const TYPES = {
  'at+jwt': {
    accepted: ['at+jwt', 'AT+JWT', 'application/at+jwt'],
    refused: [undefined, 'JWT', 'jwt', 'at-jwt', 'xat+jwt', 'x/at+jwt', null, ['at+jwt']],
  },
  JWT: {
    accepted: ['at+jwt', 'JWT', 'jwt', 'application/jwt', undefined],
    refused: ['logout+jwt', 'dpop+jwt', '', null],
  },
} as const;

test.each(['at+jwt', 'JWT'] as const)(
  'a service that expects %s accepts tokens of this type only',
  async (expected) => {
    const subjectOfType = (typ: unknown) => subjectOf(expected, signedByProvider(good, { typ }));
    for (const typ of TYPES[expected].accepted) expect(await subjectOfType(typ), String(typ)).toMatch(/./);
    for (const typ of TYPES[expected].refused) {
      await expect(subjectOfType(typ), String(typ)).rejects.toEqual(unauthorized);
    }
  },
);

test.each([
  ['a nonce', { nonce: 'n' }],
  ['a null nonce', { nonce: null }],
  ['an at_hash', { at_hash: 'h' }],
  ['a c_hash', { c_hash: 'h' }],
  ['a token_use', { token_use: 'id' }],
])('a token with %s is refused as an ID token, whatever its typ header says', async (_, claims) => {
  for (const typ of ['at+jwt', 'JWT'] as const) {
    await expect(subjectOf(typ, signedByProvider({ ...good, ...claims }, { typ }))).rejects.toEqual(unauthorized);
  }
});

test('an access token with token_use "access" is accepted', async () => {
  expect(await subjectOf('JWT', signedByProvider({ ...good, token_use: 'access' }))).toMatch(/./);
});

test('a real ID token is refused even by a service that is its audience; the access token of the same sign-in is accepted', async () => {
  const settings = { port: 0, audience: 'the-api', consoleOrigin: CONSOLE_ORIGIN, now: Date.now };
  const local = await startIdentityProvider(settings);
  try {
    const jwksUrl = `${local.issuer}${local.jwksPath}`;
    const { access_token, id_token } = await signInByCode(local.issuer, 'n');
    const sessionsFor = (audience: string, tokenType: 'at+jwt' | 'JWT') =>
      new Sessions({ issuer: local.issuer, audience, jwksUrl, tokenType }, makeClock());
    expect((await sessionsFor('the-api', 'at+jwt').verify(access_token)).email).toBe('ada@example.com');
    expect((await sessionsFor('the-api', 'at+jwt').verify(await local.mint({ sub: 'ada' }))).email).toBeNull();
    await jwtVerify(id_token, createRemoteJWKSet(new URL(jwksUrl)), { issuer: local.issuer, audience: 'console' });
    for (const tokenType of ['at+jwt', 'JWT'] as const) {
      await expect(sessionsFor('console', tokenType).verify(id_token)).rejects.toEqual(unauthorized);
    }
  } finally {
    await local.stop();
  }
});

test.each([
  ['the token is not a JWT', 'opaque'],
  ['the token has expired', signedByProvider({ ...good, exp: 1 })],
  ['the claim iss is wrong', signedByProvider({ ...good, iss: 'https://other.example.com' })],
  ['the claim aud is wrong', signedByProvider({ ...good, aud: 'other' })],
  ['the claim nbf is wrong', signedByProvider({ ...good, nbf: Date.now() })],
  ['the claim sub is missing', signedByProvider({ ...good, sub: undefined })],
  ['the header typ is wrong', signedByProvider(good, { typ: 'logout+jwt' })],
  ['the token is an ID token, not an access token', signedByProvider({ ...good, nonce: 'n' })],
  ['the provider has no key with this kid', signedByProvider(good, { kid: 'unknown' })],
  ['the signature is wrong', `${signedByProvider(good).slice(0, -8)}AAAAAAAA`],
])('a refused token has a reason for the log, with nothing of the token: %s', async (reason, token) => {
  await expect(subjectOf('at+jwt', token)).rejects.toMatchObject({ code: 'unauthorized', details: { reason } });
});

const otherKeyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const header = { alg: 'RS256', kid: 'g', typ: 'JWT' };
const rs256 = (key: KeyObject) => (input: Buffer) => sign('sha256', input, key);

const seconds = Math.floor(Date.now() / 1000);
const CLAIMS: Claims = {
  iss: 'https://accounts.google.com',
  aud: 'https://keys-1.region.run.app',
  email: 'gateway@project.iam.gserviceaccount.com',
  email_verified: true,
  sub: '1',
  iat: seconds,
  exp: seconds + 3600,
};
const signed = (claims: Claims, by = google) => `Bearer ${assemble(header, claims, rs256(by.privateKey))}`;
/** Returns a token as Cloud Run passes it on after checking it: Cloud Run replaces the signature. */
const checked = (claims: Claims) => signed(claims).replace(/[^.]+$/, 'SIGNATURE_REMOVED_BY_GOOGLE');

/** The outcome of a request with this authorization header: `admitted` or an error code. */
function outcomeOf(
  authorization: string | undefined,
  onCloudRun: boolean,
  more: { keys?: string; elsewhere?: true } = {},
) {
  const invoker = new Invoker({
    serviceAccount: 'gateway@project.iam.gserviceaccount.com',
    audience: 'https://keys-1.region.run.app',
    keysUrl: `${address}/${more.keys ?? 'google'}`,
    onCloudRun,
  });
  return invoker.refuseOthers({ authorization, checkedElsewhere: more.elsewhere ?? false }).then(
    () => 'admitted',
    ({ code }) => code,
  );
}

describe.each([
  ['a signed token', false, signed],
  ['a signed token on Cloud Run', true, signed],
  ['a token that Cloud Run has checked', true, checked],
] as const)('%s', (_, onCloudRun, token) => {
  test('a request with a token of the configured invoker is admitted', async () => {
    expect(await outcomeOf(token(CLAIMS), onCloudRun)).toBe('admitted');
  });

  test.each([
    ['another service account', { email: 'builder@project.iam.gserviceaccount.com' }],
    ['only a part of the service account’s name', { email: 'gateway@project.iam' }],
    ['no email', { email: undefined }],
    ['an unverified email', { email_verified: false }],
    ['an email without email_verified', { email_verified: undefined }],
    ['another function as its audience', { aud: 'https://crypto-1.region.run.app' }],
    ['several functions as its audience', { aud: ['https://keys-1.region.run.app', 'https://x.example'] }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://sign-in.example' }],
    ['no issuer', { iss: undefined }],
  ])('an invoker token with %s is refused', async (_, claims) => {
    expect(await outcomeOf(token({ ...CLAIMS, ...claims }), onCloudRun)).toBe('unauthorized');
  });
});

test.each([
  ['without a token', undefined],
  ['with an API key', 'Bearer esk_ci7ekz7itmjnhjcwijtbif2aaa_x'],
  ['with a token without a dot', 'Bearer x'],
  ['with a token that is signed by an unknown key', signed(CLAIMS, otherKeyPair)],
  ['with an expired token', signed({ ...CLAIMS, exp: seconds - 60 })],
  ['with a token that never expires', signed({ ...CLAIMS, exp: undefined })],
  ['with an unsigned token', `Bearer ${assemble({ alg: 'none' }, CLAIMS, () => Buffer.alloc(0))}x`],
  ['with a token of another scheme', signed(CLAIMS).replace('Bearer', 'Basic')],
  ['with unknown text in place of the signature', checked(CLAIMS).replace('GOOGLE', 'GOGGLE')],
  ['with an unreadable token', 'Bearer a.b.SIGNATURE_REMOVED_BY_GOOGLE'],
])('a request %s is refused', async (_, authorization) => {
  for (const onCloudRun of [true, false]) {
    expect(await outcomeOf(authorization, onCloudRun)).toBe('unauthorized');
  }
});

test('a token without a signature is refused outside Cloud Run', async () => {
  expect(await outcomeOf(checked(CLAIMS), false)).toBe('unauthorized');
});

test('a forged token is refused, even if Cloud Run has checked a token in another header', async () => {
  expect(await outcomeOf(checked(CLAIMS), true, { elsewhere: true })).toBe('unauthorized');
});

test('no request is admitted when Google’s signing keys cannot be read', async () => {
  expect(await outcomeOf(signed(CLAIMS), false, { keys: 'broken' })).toBe('unavailable');
});

const PREFIX = 'ci7ekz7itmjnhjcwijtbif2aaa';
const SECRET = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const TOKEN = `esk_${PREFIX}_${SECRET}`;

const read = (authorization?: string) => readCredential(authorization, { workloadIssuers: [], identity: undefined });

test.each(['Bearer', 'bearer', 'BEARER', 'Bearer '])(
  'a token that starts with esk_ after the scheme %j is treated as an API key',
  (scheme) => {
    const token = { apiKeyId: '123e4567-e89b-12d3-a456-426614174000', secret: SECRET };
    expect(read(`${scheme} ${TOKEN}`)).toEqual({ kind: 'api_key', token });
  },
);

test.each(['a.b.c', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'ESK_x', 'x'])(
  'a token that does not start with esk_ is treated as an unverified access token: %s',
  (accessToken) => {
    expect(read(`Bearer ${accessToken}`)).toEqual({ kind: 'access_token', accessToken });
  },
);

test.each([
  ...[undefined, '', 'Bearer', 'Bearer ', TOKEN, `Basic ${TOKEN}`, `XBearer ${TOKEN}`],
  ...[`Bearer ${TOKEN} ${TOKEN}`, `Bearer ${TOKEN}, Bearer ${TOKEN}`, `Bearer\t${TOKEN}`],
  ...[`Bearer esk_${PREFIX}`, `Bearer esk_x_${SECRET}`, `Bearer ${TOKEN}x`, 'Bearer esk_'],
])('an invalid authorization header is refused: %j', (authorization) => {
  expect(() => read(authorization)).toThrow(unauthorized);
});
