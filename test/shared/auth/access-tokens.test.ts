import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIdentityProvider } from '../../../emulators/identity/server.ts';
import { readCredential } from '../../../shared/auth/credential.ts';
import { Invoker } from '../../../shared/auth/invoker.ts';
import { Sessions } from '../../../shared/auth/session.ts';
import { makeClock } from '../../../shared/base/clock.ts';
import { singleHeader } from '../../../shared/http/request.ts';
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
import { readSent, type Sent, withServer } from '../http/exchange.ts';

const good = goodClaims('ada');
const published = Object.entries(PROVIDER_KEYS).map(([alg, { publicKey }]) => {
  return { ...publicKey.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' };
});
const provider = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: published }));
});
let jwksUrl: string;
beforeAll(async () => {
  jwksUrl = `http://127.0.0.1:${await listen(provider)}/jwks`;
});
afterAll(async () => {
  provider.close();
  await once(provider, 'close');
});

const unauthorized = expect.objectContaining({ code: 'unauthorized', message: 'missing or invalid credentials' });

/** Returns the subject of a token, as a service that expects the given token type reads it. */
async function subjectOf(tokenType: 'at+jwt' | 'JWT', token: string) {
  const config = { issuer: ISSUER, audience: AUDIENCE, jwksUrl, tokenType };
  return (await new Sessions(config, makeClock()).verify(token)).subjectId;
}

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
  expect(await subjectOf(expected, signedByProvider(good, { typ }))).toMatch(/./);
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
  await expect(subjectOf(expected, signedByProvider(good, { typ }))).rejects.toEqual(unauthorized);
});

test.each([
  ['a nonce', { nonce: 'n' }],
  ['a null nonce', { nonce: null }],
  ['an at_hash', { at_hash: 'h' }],
  ['a c_hash', { c_hash: 'h' }],
  ['a token_use', { token_use: 'id' }],
])('a token with %s is refused as an ID token, whatever its typ header says', async (_, claims) => {
  await expect(subjectOf('at+jwt', signedByProvider({ ...good, ...claims }))).rejects.toEqual(unauthorized);
  await expect(subjectOf('JWT', signedByProvider({ ...good, ...claims }, { typ: 'JWT' }))).rejects.toEqual(
    unauthorized,
  );
});

test('an access token with token_use "access" is accepted', async () => {
  expect(await subjectOf('JWT', signedByProvider({ ...good, token_use: 'access' }))).toMatch(/./);
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

const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publishedByGoogle = {
  keys: [{ ...google.publicKey.export({ format: 'jwk' }), kid: 'g', alg: 'RS256', use: 'sig' }],
};
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

/** Returns the parts of a request that identify its invoker. */
function invocationOf(message: IncomingMessage) {
  const checkedElsewhere = message.headers['x-serverless-authorization'] !== undefined;
  return { authorization: singleHeader(message, 'authorization'), checkedElsewhere };
}

/** The outcome of a request: `admitted` or an error code. */
function outcomeOf(headers: Sent['headers'], onCloudRun: boolean, keys: unknown = publishedByGoogle): Promise<string> {
  return withServer(
    (_, response) => response.end(JSON.stringify(keys)),
    async (port) => {
      const invoker = new Invoker({
        serviceAccount: 'gateway@project.iam.gserviceaccount.com',
        audience: 'https://keys-1.region.run.app',
        keysUrl: `http://127.0.0.1:${port}/`,
        onCloudRun,
      });
      return readSent(headers === undefined ? {} : { headers }, (message) =>
        invoker.refuseOthers(invocationOf(message)).then(
          () => 'admitted',
          (error) => String(error.code),
        ),
      );
    },
  );
}
const send = (authorization: string, onCloudRun: boolean, more: OutgoingHttpHeaders = {}) =>
  outcomeOf({ authorization, ...more }, onCloudRun);

describe.each([
  ['a signed token', false, signed],
  ['a signed token on Cloud Run', true, signed],
  ['a token that Cloud Run has checked', true, checked],
] as const)('%s', (_, onCloudRun, token) => {
  test('a request with a token of the configured invoker is admitted', async () => {
    expect(await send(token(CLAIMS), onCloudRun)).toBe('admitted');
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
    expect(await send(token({ ...CLAIMS, ...claims }), onCloudRun)).toBe('unauthorized');
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
    expect(await outcomeOf(authorization === undefined ? {} : { authorization }, onCloudRun)).toBe('unauthorized');
  }
});

test('a request with two authorization headers is refused', async () => {
  const twice = ['host', 'localhost', 'authorization', signed(CLAIMS), 'authorization', signed(CLAIMS)];
  expect(await outcomeOf(twice, true)).toBe('unauthorized');
});

test('a token without a signature is refused outside Cloud Run', async () => {
  expect(await send(checked(CLAIMS), false)).toBe('unauthorized');
});

test('a forged token is refused, even if Cloud Run has checked a token in another header', async () => {
  const more = { 'x-serverless-authorization': checked({ ...CLAIMS, email: 'builder@project.iam' }) };
  expect(await send(checked(CLAIMS), true, more)).toBe('unauthorized');
});

test('no request is admitted when Google’s signing keys cannot be read', async () => {
  expect(await outcomeOf({ authorization: signed(CLAIMS) }, false, 'no keys')).toBe('unavailable');
});

const PREFIX = 'ci7ekz7itmjnhjcwijtbif2aaa';
const SECRET = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const TOKEN = `esk_${PREFIX}_${SECRET}`;

function read(headers: Sent['headers'], header: 'authorization' | 'x-forwarded-authorization' = 'authorization') {
  const sent = headers === undefined ? {} : { headers };
  return readSent(sent, (message) =>
    readCredential(singleHeader(message, header), { workloadIssuers: [], identity: undefined }),
  );
}

const apiKey = { kind: 'api_key', token: { apiKeyId: '123e4567-e89b-12d3-a456-426614174000', secret: SECRET } };
test.each(['Bearer', 'bearer', 'BEARER', 'Bearer '])(
  'a token that starts with esk_ after the scheme %j is treated as an API key',
  async (scheme) => {
    expect(await read({ authorization: `${scheme} ${TOKEN}` })).toEqual(apiKey);
  },
);

test.each(['a.b.c', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'ESK_x', 'x'])(
  'a token that does not start with esk_ is treated as an unverified access token: %s',
  async (accessToken) => {
    expect(await read({ authorization: `Bearer ${accessToken}` })).toEqual({ kind: 'access_token', accessToken });
  },
);

test.each([
  ...[undefined, '', 'Bearer', 'Bearer ', TOKEN, `Basic ${TOKEN}`, `XBearer ${TOKEN}`],
  ...[`Bearer ${TOKEN} ${TOKEN}`, `Bearer ${TOKEN}, Bearer ${TOKEN}`, `Bearer\t${TOKEN}`],
  ...[`Bearer esk_${PREFIX}`, `Bearer esk_x_${SECRET}`, `Bearer ${TOKEN}x`, 'Bearer esk_'],
])('an invalid authorization header is refused: %j', async (authorization) => {
  await expect(read(authorization === undefined ? {} : { authorization })).rejects.toEqual(unauthorized);
});

test('an authorization header that is sent twice is refused', async () => {
  const bearer = ['authorization', `Bearer ${TOKEN}`];
  await expect(read(['host', 'localhost', ...bearer, ...bearer])).rejects.toEqual(unauthorized);
});

test('the credential is read only from the header that the configuration names', async () => {
  const forwarded = 'x-forwarded-authorization';
  expect(await read({ [forwarded]: `Bearer ${TOKEN}`, authorization: 'Bearer gateway' }, forwarded)).toEqual(apiKey);
  await expect(read({ authorization: `Bearer ${TOKEN}` }, forwarded)).rejects.toEqual(unauthorized);
  await expect(read({ [forwarded]: `Bearer ${TOKEN}` })).rejects.toEqual(unauthorized);
});
