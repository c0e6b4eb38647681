import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { send } from '../../support/client.ts';
import { sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import {
  AUDIENCE,
  assemble,
  type Claims,
  es256,
  goodClaims,
  ISSUER,
  PROVIDER_KEYS,
  type ServiceOfOwnIssuer,
  signed,
  startWithOwnIssuer,
} from '../../support/tokens.ts';

let service: ServiceOfOwnIssuer;
beforeAll(async () => {
  service = await startWithOwnIssuer(inject('stack'));
});
afterAll(() => service.stop());

const { ES256, RS256, EdDSA } = PROVIDER_KEYS;
const unknownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const unknownJwk = unknownKey.publicKey.export({ format: 'jwk' });
const now = Math.floor(Date.now() / 1000);
/** The correct `typ` header, so that each invalid token below has only one fault. */
const ACCESS_TOKEN = { typ: 'at+jwt' };
const good = goodClaims(randomUUID());

function claimsWithout(name: string): Claims {
  return Object.fromEntries(Object.entries(good).filter(([claim]) => claim !== name));
}

/** Returns a token that a service would accept if it used the provider's public key as a shared secret. */
function hmacWithPublicKey(alg: 'HS256' | 'HS512', secret: string | Buffer): string {
  return assemble({ ...ACCESS_TOKEN, alg, kid: 'ES256' }, good, (input) =>
    createHmac(alg.replace('HS', 'sha'), secret).update(input).digest(),
  );
}

function ask(token: string) {
  return send('GET', `${service.baseUrl}/v1/me`, { token });
}

describe('a token signed by the provider', () => {
  test.each([
    ['signed with ES256', signed(good)],
    [
      'signed with RS256',
      assemble({ ...ACCESS_TOKEN, alg: 'RS256', kid: 'RS256' }, good, (input) =>
        sign('sha256', input, RS256.privateKey),
      ),
    ],
    [
      'signed with Ed25519',
      assemble({ ...ACCESS_TOKEN, alg: 'EdDSA', kid: 'EdDSA' }, good, (input) => sign(null, input, EdDSA.privateKey)),
    ],
    ['for several audiences that include the service', signed({ ...good, aud: ['another', AUDIENCE] })],
    ['with nbf in the past', signed({ ...good, nbf: now - 60 })],
    ['with the type application/at+jwt', signed(good, { typ: 'application/at+jwt' })],
    ['of 8 kB', signed({ ...good, groups: 'x'.repeat(6_000) })],
  ])('an access token %s is accepted', async (_, token) => {
    expect((await ask(token)).status).toBe(200);
  });
});

describe('an invalid token', () => {
  const REFUSED: readonly (readonly [string, string])[] = [
    ['without a signature (alg none)', assemble({ ...ACCESS_TOKEN, alg: 'none' }, good, () => Buffer.alloc(0))],
    [
      'with alg none in mixed case',
      assemble({ ...ACCESS_TOKEN, alg: 'NoNe', kid: 'ES256' }, good, () => Buffer.alloc(0)),
    ],
    [
      'with alg none and a signature',
      assemble({ ...ACCESS_TOKEN, alg: 'none', kid: 'ES256' }, good, es256(ES256.privateKey)),
    ],
    ['without an alg', assemble({ ...ACCESS_TOKEN, kid: 'ES256' }, good, es256(ES256.privateKey))],
    ['signed with HS256 and the public key as PEM', hmacWithPublicKey('HS256', pem())],
    ['signed with HS256 and the public key as PEM, trimmed', hmacWithPublicKey('HS256', pem().trim())],
    [
      'signed with HS256 and the public key as JWK',
      hmacWithPublicKey('HS256', JSON.stringify(ES256.publicKey.export({ format: 'jwk' }))),
    ],
    [
      'signed with HS512 and the public key as DER',
      hmacWithPublicKey('HS512', ES256.publicKey.export({ type: 'spki', format: 'der' })),
    ],
    ['signed with HS256 and an empty secret', hmacWithPublicKey('HS256', '')],
    ['of another issuer', signed({ ...good, iss: 'https://sign-in.example.org' })],
    ['of an issuer with an extra slash', signed({ ...good, iss: `${ISSUER}/` })],
    ['without an issuer', signed(claimsWithout('iss'))],
    ['for another audience', signed({ ...good, aud: 'another' })],
    ['for other audiences', signed({ ...good, aud: ['another', `${AUDIENCE}2`] })],
    ['without an audience', signed(claimsWithout('aud'))],
    ['without a type', signed(good, { typ: undefined })],
    ['with the type of an ID token', signed(good, { typ: 'JWT' })],
    ['with the type of a logout token', signed(good, { typ: 'logout+jwt' })],
    ['with a nonce, as in an ID token', signed({ ...good, nonce: 'n' })],
    ['with at_hash, as in an ID token', signed({ ...good, at_hash: 'h' })],
    ['that expired a minute ago', signed({ ...good, exp: now - 60 })],
    ['that expired a second ago', signed({ ...good, exp: now - 1 })],
    ['without an expiry', signed(claimsWithout('exp'))],
    ['with an expiry as text', signed({ ...good, exp: String(now + 600) })],
    ['that is not yet valid', signed({ ...good, nbf: now + 600 })],
    ['with nbf as text', signed({ ...good, nbf: 'now' })],
    ['without a subject', signed(claimsWithout('sub'))],
    ['with an empty subject', signed({ ...good, sub: '' })],
    ['with a number as its subject', signed({ ...good, sub: 7 })],
    ['with null as its subject', signed({ ...good, sub: null })],
    ['with an unknown key id', signed(good, { kid: 'unknown' })],
    ['with a path as its key id', signed(good, { kid: '../../../dev/null' })],
    ['with the key id of a key for another algorithm', signed(good, { kid: 'RS256' })],
    [
      'signed with an unknown key',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', kid: 'ES256' }, good, es256(unknownKey.privateKey)),
    ],
    [
      'signed with an unknown key, without a key id',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256' }, good, es256(unknownKey.privateKey)),
    ],
    [
      'with an unknown key in its header',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', jwk: unknownJwk }, good, es256(unknownKey.privateKey)),
    ],
    [
      'with the URL of unknown keys in its header',
      assemble(
        { ...ACCESS_TOKEN, alg: 'ES256', kid: 'x', jku: 'http://127.0.0.1:9/' },
        good,
        es256(unknownKey.privateKey),
      ),
    ],
    [
      'with a signature of zeros',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', kid: 'ES256' }, good, () => Buffer.alloc(64)),
    ],
    [
      'with a signature in DER format',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', kid: 'ES256' }, good, (input) =>
        sign('sha256', input, ES256.privateKey),
      ),
    ],
    [
      'with half a signature',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', kid: 'ES256' }, good, (input) =>
        es256(ES256.privateKey)(input).subarray(32),
      ),
    ],
    ['with an alg in its header that does not match its signature', signed(good, { alg: 'ES384' })],
    ['with an unknown critical extension', signed(good, { crit: ['exp2'], exp2: 1 })],
    ['with an unencoded payload', signed(good, { crit: ['b64'], b64: false })],
    ['with a list instead of claims', signed([good])],
    ['with claims that are not JSON', signed('claims')],
    ['with a header that is not JSON', assemble('header', good, es256(ES256.privateKey))],
    ['with null as its header', assemble('null', good, es256(ES256.privateKey))],
    ['with claims changed after signing', swapPayload(signed(good), { ...good, sub: 'somebody else' })],
    ['with a truncated signature', signed(good).slice(0, -4)],
    ['of two parts', signed(good).split('.').slice(0, 2).join('.')],
    ['of four parts', `${signed(good)}.x`],
    ['of five parts, like an encrypted token', `${signed(good)}.x.y`],
    ['of only dots', '..'],
    ['of one word', 'token'],
    ['that begins with ESK_', `ESK_${'a'.repeat(26)}_${'A'.repeat(43)}`],
  ];

  test.each(REFUSED)('a token %s is refused with 401', async (_, token) => {
    const answer = await ask(token);
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });
});

test('a request whose token exceeds the size limit of headers is refused with 400, and the service keeps working', async () => {
  const token = signed({ ...good, groups: 'x'.repeat(40_000) });
  const answer = await sendRaw(service, 'GET /v1/me', [`authorization: Bearer ${token}`]);
  expectRefusal(answer, '400 invalid_request');
  expect((await ask(signed(good))).status).toBe(200);
});

function pem(): string {
  return ES256.publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

function swapPayload(token: string, payload: Claims): string {
  const [header, , signature] = token.split('.');
  return [header, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.');
}
