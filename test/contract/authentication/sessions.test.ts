import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, send } from '../../support/client.ts';
import { sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { listen, type SecondService, startSecondService } from '../../support/second-service.ts';
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

let fetches = 0;
const keys = Object.entries(PROVIDER_KEYS).map(([alg, { publicKey }]) => {
  return { ...publicKey.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' };
});
const provider = createServer((_, response) => {
  fetches++;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
});
let service: SecondService;
beforeAll(async () => {
  const IDENTITY_JWKS_URL = `http://127.0.0.1:${await listen(provider)}/jwks`;
  const settings = { IDENTITY_ISSUER: ISSUER, IDENTITY_AUDIENCE: AUDIENCE, IDENTITY_JWKS_URL };
  service = await startSecondService(inject('stack'), settings);
});
afterAll(async () => {
  await service.stop();
  provider.close();
});

const { ES256, RS256, EdDSA } = PROVIDER_KEYS;
const unknownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const unknownJwk = unknownKey.publicKey.export({ format: 'jwk' });
const now = Math.floor(Date.now() / 1000);
const good = goodClaims(randomUUID());
type Signer = (input: Buffer) => Buffer;
/** Makes a token with the correct type and key id, so that each invalid token below has only one fault. */
const made = (header: object, signer: Signer = es256(ES256.privateKey), payload: unknown = good) =>
  assemble({ typ: 'at+jwt', alg: 'ES256', kid: 'ES256', ...header }, payload, signer);
const without = (name: string) => ({ [name]: undefined });
const unsigned: Signer = () => Buffer.alloc(0);
const stranger = es256(unknownKey.privateKey);
/** Signs with the provider's public key as a shared secret. */
const hmac =
  (alg: 'sha256' | 'sha512', secret: string | Buffer): Signer =>
  (input) =>
    createHmac(alg, secret).update(input).digest();
const pem = ES256.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const der = ES256.publicKey.export({ type: 'spki', format: 'der' });
const jwk = JSON.stringify(ES256.publicKey.export({ format: 'jwk' }));

function ask(token: string) {
  return send('GET', `${service.baseUrl}/v1/me`, { token });
}

test('a token that no key could verify does not make the service fetch the provider’s keys', async () => {
  for (const token of ['x', 'a.b.c', assemble({ alg: 'none' }, good, unsigned), assemble('header', good, unsigned)]) {
    expect(outcome(await ask(token))).toBe('401 unauthorized');
  }
  expect(fetches).toBe(0);
});

test('a flood of tokens with unknown key ids makes the service fetch the provider’s keys only once', async () => {
  const flood = Array.from({ length: 50 }, () => ask(signed(good, { kid: randomUUID() })));
  expect(new Set((await Promise.all(flood)).map(outcome))).toEqual(new Set(['401 unauthorized']));
  for (let one = 1; one <= 20; one++) await ask(signed(good, { kid: randomUUID() }));
  expect(fetches).toBe(1);
  expect((await ask(signed(good))).status).toBe(200);
  expect(fetches).toBe(1);
});

test.each([
  ['signed with ES256', signed(good)],
  ['signed with RS256', made({ alg: 'RS256', kid: 'RS256' }, (input) => sign('sha256', input, RS256.privateKey))],
  ['signed with Ed25519', made({ alg: 'EdDSA', kid: 'EdDSA' }, (input) => sign(null, input, EdDSA.privateKey))],
  ['for several audiences that include the service', signed({ ...good, aud: ['another', AUDIENCE] })],
  ['with nbf in the past', signed({ ...good, nbf: now - 60 })],
  ['with the type application/at+jwt', signed(good, { typ: 'application/at+jwt' })],
  ['of 8 kB', signed({ ...good, groups: 'x'.repeat(6_000) })],
])('an access token %s is accepted', async (_, token) => {
  expect((await ask(token)).status).toBe(200);
});

test.each([
  ['without a signature (alg none)', made({ alg: 'none', ...without('kid') }, unsigned)],
  ['with alg none in mixed case', made({ alg: 'NoNe' }, unsigned)],
  ['with alg none and a signature', made({ alg: 'none' })],
  ['without an alg', made(without('alg'))],
  ['signed with HS256 and the public key as PEM', made({ alg: 'HS256' }, hmac('sha256', pem))],
  ['signed with HS256 and the public key as PEM, trimmed', made({ alg: 'HS256' }, hmac('sha256', pem.trim()))],
  ['signed with HS256 and the public key as JWK', made({ alg: 'HS256' }, hmac('sha256', jwk))],
  ['signed with HS512 and the public key as DER', made({ alg: 'HS512' }, hmac('sha512', der))],
  ['signed with HS256 and an empty secret', made({ alg: 'HS256' }, hmac('sha256', ''))],
  ['of an issuer with an extra slash', signed({ ...good, iss: `${ISSUER}/` })],
  ['without an issuer', signed({ ...good, ...without('iss') })],
  ['for other audiences', signed({ ...good, aud: ['another', `${AUDIENCE}2`] })],
  ['without an audience', signed({ ...good, ...without('aud') })],
  ['that expired a second ago', signed({ ...good, exp: now - 1 })],
  ['without an expiry', signed({ ...good, ...without('exp') })],
  ['with an expiry as text', signed({ ...good, exp: String(now + 600) })],
  ['that is not yet valid', signed({ ...good, nbf: now + 600 })],
  ['with nbf as text', signed({ ...good, nbf: 'now' })],
  ['with an empty subject', signed({ ...good, sub: '' })],
  ['with a number as its subject', signed({ ...good, sub: 7 })],
  ['with null as its subject', signed({ ...good, sub: null })],
  ['with an unknown key id', signed(good, { kid: 'unknown' })],
  ['with a path as its key id', signed(good, { kid: '../../../dev/null' })],
  ['with the key id of a key for another algorithm', signed(good, { kid: 'RS256' })],
  ['signed with an unknown key', made({}, stranger)],
  ['signed with an unknown key, without a key id', made(without('kid'), stranger)],
  ['with an unknown key in its header', made({ ...without('kid'), jwk: unknownJwk }, stranger)],
  ['with the URL of unknown keys in its header', made({ kid: 'x', jku: 'http://127.0.0.1:9/' }, stranger)],
  ['with a signature of zeros', made({}, () => Buffer.alloc(64))],
  ['with a signature in DER format', made({}, (input) => sign('sha256', input, ES256.privateKey))],
  ['with half a signature', made({}, (input) => es256(ES256.privateKey)(input).subarray(32))],
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
  ['that begins with ESK_', `ESK_${'a'.repeat(26)}_${'A'.repeat(43)}`],
])('a token %s is refused with 401', async (_, token) => {
  expectRefusal(await ask(token), '401 unauthorized');
});

test('a request whose token exceeds the size limit of headers is refused with 400, and the service keeps working', async () => {
  const token = signed({ ...good, groups: 'x'.repeat(40_000) });
  const answer = await sendRaw(service, 'GET /v1/me', [`authorization: Bearer ${token}`]);
  expectRefusal(answer, '400 invalid_request');
  expect((await ask(signed(good))).status).toBe(200);
});

function swapPayload(token: string, payload: Claims): string {
  const [header, , signature] = token.split('.');
  return [header, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.');
}
