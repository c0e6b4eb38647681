import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Invoker } from '../../../shared/auth/invoker.ts';
import { singleHeader } from '../../../shared/http/request.ts';
import { assemble, type Claims } from '../../support/tokens.ts';
import { readSent, type Sent, withServer } from '../http/exchange.ts';

const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const published = { keys: [{ ...google.publicKey.export({ format: 'jwk' }), kid: 'g', alg: 'RS256', use: 'sig' }] };
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
function outcomeOf(headers: Sent['headers'], onCloudRun: boolean, keys: unknown = published): Promise<string> {
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

describe('requests that bypass the gateway', () => {
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
});

test('no request is admitted when Google’s signing keys cannot be read', async () => {
  expect(await outcomeOf({ authorization: signed(CLAIMS) }, false, 'no keys')).toBe('unavailable');
});
