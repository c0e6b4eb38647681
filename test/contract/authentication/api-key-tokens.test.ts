import { beforeAll, describe, expect, inject, test } from 'vitest';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let token: string;
let prefix: string;
let secret: string;
beforeAll(async () => {
  token = (await makeTenant(stack)).api.token ?? '';
  [, prefix = '', secret = ''] = /^esk_([a-z2-7]{26})_([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
});

/** This case is not tested on a deployed service, because its gateway sends the token to the service in this header. */
const FORWARDED: [string, () => string[]][] = DEPLOYED
  ? []
  : [['a token in X-Forwarded-Authorization', () => [`x-forwarded-authorization: Bearer ${token}`]]];

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Flips the lowest bit of the last character, which the encoding of the id or secret does not use. */
function flipUnusedBit(text: string, alphabet: string): string {
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.slice(-1)) ^ 1]}`;
}

async function sendWith(...headers: readonly string[]) {
  return sendRaw(stack, 'GET /v1/keys', headers);
}

test('the service accepts the token that was shown when the API key was created', async () => {
  expect((await sendWith(`authorization: Bearer ${token}`)).status).toBe(200);
});

describe('an invalid token', () => {
  test.each([
    ['with nothing after esk_', () => 'esk_'],
    ['without a secret', () => `esk_${prefix}`],
    ['without a secret after its second underscore', () => `esk_${prefix}_`],
    ['without a prefix', () => `esk__${secret}`],
    ['without the underscore before its secret', () => `esk_${prefix}${secret}`],
    ['without esk_', () => `${prefix}_${secret}`],
    ['with a prefix one character too short', () => `esk_${prefix.slice(1)}_${secret}`],
    ['with a prefix one character too long', () => `esk_${prefix}a_${secret}`],
    ['with a prefix in upper case', () => `esk_${prefix.toUpperCase()}_${secret}`],
    ['with a character in its prefix that is not base32', () => `esk_${`1${prefix.slice(1)}`}_${secret}`],
    ['with a padded prefix', () => `esk_${prefix}======_${secret}`],
    [
      'with a prefix that decodes to the same id but has an unused bit set',
      () => `esk_${flipUnusedBit(prefix, ALPHABET)}_${secret}`,
    ],
    ['with a secret one character too short', () => `esk_${prefix}_${secret.slice(1)}`],
    ['with a secret one character too long', () => `esk_${prefix}_${secret}A`],
    ['with a padded secret', () => `esk_${prefix}_${secret}=`],
    ['with a secret in base64 instead of base64url', () => `esk_${prefix}_${'+'.repeat(43)}`],
    ['with a secret that has an unused bit set', () => `esk_${prefix}_${flipUnusedBit(secret, BASE64URL)}`],
    ['with a wrong secret', () => withWrongSecret(token)],
    ['with an unknown prefix', () => `esk_${'a'.repeat(26)}_${secret}`],
    ['that begins with ESK_', () => token.replace('esk_', 'ESK_')],
    ['that begins with esk-', () => token.replace('esk_', 'esk-')],
    ['followed by a second secret', () => `${token}_${secret}`],
    ['in quotes', () => `"${token}"`],
  ])('a token %s is refused with 401', async (_, other) => {
    const answer = await sendWith(`authorization: Bearer ${other()}`);
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });
});

describe('the place and format of the token in a request', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'the scheme of the Authorization header is accepted in any letter case: %s',
    async (scheme) => {
      expect((await sendWith(`authorization: ${scheme} ${token}`)).status).toBe(200);
    },
  );

  test.each(['Authorization', 'AUTHORIZATION'])(
    'the name of the Authorization header is accepted in any letter case: %s',
    async (name) => {
      expect((await sendWith(`${name}: Bearer ${token}`)).status).toBe(200);
    },
  );

  test('white space around the value of the Authorization header is ignored', async () => {
    expect((await sendWith(`authorization: \t Bearer ${token} \t`)).status).toBe(200);
  });

  const basic = () => Buffer.from(`api:${token}`).toString('base64');
  test.each([
    ['no Authorization header', () => []],
    ['an empty Authorization header', () => ['authorization:']],
    ['a scheme without a token', () => ['authorization: Bearer']],
    ['a token without a scheme', () => [`authorization: ${token}`]],
    ['the scheme Basic with the token', () => [`authorization: Basic ${token}`]],
    ['the scheme Basic with the token as a password', () => [`authorization: Basic ${basic()}`]],
    ['the scheme Token instead of Bearer', () => [`authorization: Token ${token}`]],
    ['a scheme that only begins with Bearer', () => [`authorization: BearerX ${token}`]],
    ['no space between scheme and token', () => [`authorization: Bearer${token}`]],
    ['a tab between scheme and token', () => [`authorization: Bearer\t${token}`]],
    ['two tokens', () => [`authorization: Bearer ${token} ${token}`]],
    ['two comma-separated credentials', () => [`authorization: Bearer ${token}, Bearer ${token}`]],
    ['two comma-separated tokens', () => [`authorization: Bearer ${token},${token}`]],
    ['a token as a parameter', () => [`authorization: Bearer token=${token}`]],
    ['two Authorization headers', () => [`authorization: Bearer ${token}`, `authorization: Bearer ${token}`]],
    ['two Authorization headers, the second empty', () => [`authorization: Bearer ${token}`, 'authorization:']],
    ['a token in Proxy-Authorization', () => [`proxy-authorization: Bearer ${token}`]],
    ...FORWARDED,
    ['a token in X-API-Key', () => [`x-api-key: ${token}`]],
    ['a token in a cookie', () => [`cookie: authorization=Bearer ${token}; token=${token}`]],
  ])('a request with %s is refused with 401 and the message for invalid credentials', async (_, headers) => {
    const answer = await sendWith(...headers());
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });

  test('a token in the query string is refused with 401', async () => {
    expectRefusal(await sendRaw(stack, `GET /v1/keys?access_token=${token}`), '401 unauthorized');
  });
});
