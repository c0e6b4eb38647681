import { expect, test } from 'vitest';
import { tokenFault } from '../../src/doctor/access-token.ts';

const NOW_S = 1_800_000_000;
const SETTINGS = {
  issuer: 'https://id.example.com',
  client_id: 'esk',
  audience: 'https://api.example.com',
  scope: 'openid',
  workload_issuers: [],
};
const GOOD = { iss: SETTINGS.issuer, aud: SETTINGS.audience, sub: 'ada', exp: NOW_S + 600 };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token with these claims and header. Its signature is not read. */
function tokenOf(claims: object, header: object = { alg: 'RS256', typ: 'at+jwt' }): string {
  return `${encode(header)}.${encode({ ...GOOD, ...claims })}.AAAA`;
}

test.each([
  ['an opaque token', 'f3b1c2d4', /not a JWT/],
  ['an encrypted token', 'a.b.c.d.e', /not a JWT/],
  ['another issuer', tokenOf({ iss: 'https://other.example.com' }), /issuer \(iss\): "https:\/\/other/],
  ['an issuer with a slash', tokenOf({ iss: `${SETTINGS.issuer}/` }), /issuer \(iss\)/],
  ['another audience', tokenOf({ aud: ['a', 'b'] }), /audience \(aud\): \["a","b"\]/],
  ['no audience', tokenOf({ aud: undefined }), /audience \(aud\): undefined/],
  ['an ID token', tokenOf({ nonce: 'n' }, { alg: 'RS256', typ: 'JWT' }), /is an ID token/],
  ['another type', tokenOf({}, { alg: 'RS256', typ: 'logout+jwt' }), /type \(typ\) "logout\+jwt"/],
  ['no subject', tokenOf({ sub: undefined }), /no claim sub/],
  ['no expiry', tokenOf({ exp: undefined }), /no claim exp/],
  ['an expired token', tokenOf({ exp: NOW_S - 7_200 }), /expired 120 minutes ago/],
  ['a token from the future', tokenOf({ nbf: NOW_S + 3_600 }), /not valid for another 60 minutes/],
])('%s is explained, with advice', (_, token, found) => {
  const fault = tokenFault(token, SETTINGS, NOW_S * 1_000);
  expect(fault?.found).toMatch(found);
  expect(fault?.advice).toMatch(/./);
});

test('a token without a visible fault is not explained', () => {
  for (const aud of [SETTINGS.audience, ['x', SETTINGS.audience]]) {
    expect(tokenFault(tokenOf({ aud, name: 'Zoë' }), SETTINGS, NOW_S * 1_000)).toBeUndefined();
  }
});
