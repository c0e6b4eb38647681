import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { send } from '../../support/client.ts';
import { startWithOwnIssuer } from '../../support/own-issuer.ts';
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
  signed,
} from '../../support/tokens.ts';

const service = await startWithOwnIssuer(inject('stack'));
afterAll(() => service.stop());

const { ES256, RS256, EdDSA } = PROVIDER_KEYS;
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const strangersJwk = stranger.publicKey.export({ format: 'jwk' });
const now = Math.floor(Date.now() / 1000);
/** Nothing else is wrong with the tokens below. */
const ACCESS_TOKEN = { typ: 'at+jwt' };
const good = goodClaims(randomUUID());

function without(name: string): Claims {
  return Object.fromEntries(Object.entries(good).filter(([claim]) => claim !== name));
}

/** The mistake of taking a public key for a shared secret: the key in the forms that it is published in. */
function hmacWithPublicKey(alg: 'HS256' | 'HS512', secret: string | Buffer): string {
  return assemble({ ...ACCESS_TOKEN, alg, kid: 'ES256' }, good, (input) =>
    createHmac(alg.replace('HS', 'sha'), secret).update(input).digest(),
  );
}

function ask(token: string) {
  return send('GET', `${service.baseUrl}/v1/me`, { token });
}

describe('a token that the provider signed is accepted', () => {
  test.each([
    ['as it is', signed(good)],
    [
      'with RS256',
      assemble({ ...ACCESS_TOKEN, alg: 'RS256', kid: 'RS256' }, good, (input) =>
        sign('sha256', input, RS256.privateKey),
      ),
    ],
    [
      'with Ed25519',
      assemble({ ...ACCESS_TOKEN, alg: 'EdDSA', kid: 'EdDSA' }, good, (input) => sign(null, input, EdDSA.privateKey)),
    ],
    ['for several audiences, this one among them', signed({ ...good, aud: ['another', AUDIENCE] })],
    ['valid since a while', signed({ ...good, nbf: now - 60 })],
    ['of the access token type, written out', signed(good, { typ: 'application/at+jwt' })],
    ['of 8 kB', signed({ ...good, groups: 'x'.repeat(6_000) })],
  ])('%s', async (_, token) => {
    expect((await ask(token)).status).toBe(200);
  });
});

describe('a token is 401, with the one message, when it is', () => {
  const REFUSED: readonly (readonly [string, string])[] = [
    ['without a signature (alg none)', assemble({ ...ACCESS_TOKEN, alg: 'none' }, good, () => Buffer.alloc(0))],
    ['alg none in another case', assemble({ ...ACCESS_TOKEN, alg: 'NoNe', kid: 'ES256' }, good, () => Buffer.alloc(0))],
    [
      'alg none with a signature',
      assemble({ ...ACCESS_TOKEN, alg: 'none', kid: 'ES256' }, good, es256(ES256.privateKey)),
    ],
    ['without an alg', assemble({ ...ACCESS_TOKEN, kid: 'ES256' }, good, es256(ES256.privateKey))],
    ['HS256 with the public key as PEM', hmacWithPublicKey('HS256', pem())],
    ['HS256 with the public key as PEM, trimmed', hmacWithPublicKey('HS256', pem().trim())],
    [
      'HS256 with the public key as JWK',
      hmacWithPublicKey('HS256', JSON.stringify(ES256.publicKey.export({ format: 'jwk' }))),
    ],
    [
      'HS512 with the public key as DER',
      hmacWithPublicKey('HS512', ES256.publicKey.export({ type: 'spki', format: 'der' })),
    ],
    ['HS256 with an empty secret', hmacWithPublicKey('HS256', '')],
    ['of another issuer', signed({ ...good, iss: 'https://sign-in.example.org' })],
    ['of an issuer that only begins so', signed({ ...good, iss: `${ISSUER}/` })],
    ['without an issuer', signed(without('iss'))],
    ['for another audience', signed({ ...good, aud: 'another' })],
    ['for other audiences', signed({ ...good, aud: ['another', `${AUDIENCE}2`] })],
    ['without an audience', signed(without('aud'))],
    ['of no type', signed(good, { typ: undefined })],
    ['of the type of ID tokens', signed(good, { typ: 'JWT' })],
    ['of the type of a logout token', signed(good, { typ: 'logout+jwt' })],
    ['an ID token, from its nonce', signed({ ...good, nonce: 'n' })],
    ['an ID token, from its hash of an access token', signed({ ...good, at_hash: 'h' })],
    ['expired', signed({ ...good, exp: now - 60 })],
    ['expired just now', signed({ ...good, exp: now - 1 })],
    ['without an expiry', signed(without('exp'))],
    ['with an expiry that is text', signed({ ...good, exp: String(now + 600) })],
    ['not yet valid', signed({ ...good, nbf: now + 600 })],
    ['valid from a time that is text', signed({ ...good, nbf: 'now' })],
    ['without a subject', signed(without('sub'))],
    ['with an empty subject', signed({ ...good, sub: '' })],
    ['with a subject that is a number', signed({ ...good, sub: 7 })],
    ['with a subject that is null', signed({ ...good, sub: null })],
    ['of an unknown key id', signed(good, { kid: 'unknown' })],
    ['of a key id that is a path', signed(good, { kid: '../../../dev/null' })],
    ['of the key id of another algorithm', signed(good, { kid: 'RS256' })],
    [
      'signed by a stranger',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', kid: 'ES256' }, good, es256(stranger.privateKey)),
    ],
    [
      'signed by a stranger, without a key id',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256' }, good, es256(stranger.privateKey)),
    ],
    [
      'with a stranger’s key in it',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', jwk: strangersJwk }, good, es256(stranger.privateKey)),
    ],
    [
      'with the address of a stranger’s keys',
      assemble(
        { ...ACCESS_TOKEN, alg: 'ES256', kid: 'x', jku: 'http://127.0.0.1:9/' },
        good,
        es256(stranger.privateKey),
      ),
    ],
    [
      'with a signature of zeros',
      assemble({ ...ACCESS_TOKEN, alg: 'ES256', kid: 'ES256' }, good, () => Buffer.alloc(64)),
    ],
    [
      'with a signature in DER',
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
    ['marked as another algorithm than it was signed with', signed(good, { alg: 'ES384' })],
    ['with an extension that must be understood', signed(good, { crit: ['exp2'], exp2: 1 })],
    ['with an unencoded payload', signed(good, { crit: ['b64'], b64: false })],
    ['of claims that are a list', signed([good])],
    ['of claims that are not JSON', signed('claims')],
    ['of a header that is not JSON', assemble('header', good, es256(ES256.privateKey))],
    ['of a header that is null', assemble('null', good, es256(ES256.privateKey))],
    ['changed after it was signed', swapPayload(signed(good), { ...good, sub: 'somebody else' })],
    ['cut', signed(good).slice(0, -4)],
    ['two parts', signed(good).split('.').slice(0, 2).join('.')],
    ['four parts', `${signed(good)}.x`],
    ['five parts, as when encrypted', `${signed(good)}.x.y`],
    ['dots', '..'],
    ['a word', 'token'],
    ['an esk_ token in another case', `ESK_${'a'.repeat(26)}_${'A'.repeat(43)}`],
  ];

  test.each(REFUSED)('%s', async (_, token) => {
    const answer = await ask(token);
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });
});

test('a token that makes the head too large is refused cleanly, and the service lives on', async () => {
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
