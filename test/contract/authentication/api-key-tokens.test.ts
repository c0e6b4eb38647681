import { describe, expect, inject, test } from 'vitest';
import { withWrongSecret } from '../../support/bad-credentials.ts';
import { sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const { api } = await makeTenant(stack);
const token = api.token ?? '';
const [, prefix = '', secret = ''] = /^esk_([a-z2-7]{26})_([A-Za-z0-9_-]{43})$/.exec(token) ?? [];

/** Where a gateway is in front, it is this header that it passes on. */
const FORWARDED: [string, string[]][] = DEPLOYED
  ? []
  : [['another one’s: forwarded', [`x-forwarded-authorization: Bearer ${token}`]]];

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The text whose last character differs only in the bits that its encoding does not use. */
function aliasOf(text: string, alphabet: string): string {
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.slice(-1)) ^ 1]}`;
}

/** What comes back for these header lines; every refusal is the one 401. */
async function askWith(...headers: readonly string[]) {
  return sendRaw(stack, 'GET /v1/keys', headers);
}

test('the token that was shown is the credential', async () => {
  expect((await askWith(`authorization: Bearer ${token}`)).status).toBe(200);
});

describe('a token is 401 when it is', () => {
  test.each([
    ['only the start', 'esk_'],
    ['without a secret', `esk_${prefix}`],
    ['without a secret, underscore and all', `esk_${prefix}_`],
    ['without a prefix', `esk__${secret}`],
    ['without the underscore between', `esk_${prefix}${secret}`],
    ['without its start', `${prefix}_${secret}`],
    ['of a prefix that is a character short', `esk_${prefix.slice(1)}_${secret}`],
    ['of a prefix that is a character long', `esk_${prefix}a_${secret}`],
    ['of a prefix in upper case', `esk_${prefix.toUpperCase()}_${secret}`],
    ['of a prefix with a digit that base32 has not', `esk_${`1${prefix.slice(1)}`}_${secret}`],
    ['of a padded prefix', `esk_${prefix}======_${secret}`],
    ['of a prefix that spells the same id with stray bits', `esk_${aliasOf(prefix, ALPHABET)}_${secret}`],
    ['of a secret that is a character short', `esk_${prefix}_${secret.slice(1)}`],
    ['of a secret that is a character long', `esk_${prefix}_${secret}A`],
    ['of a padded secret', `esk_${prefix}_${secret}=`],
    ['of a secret in base64', `esk_${prefix}_${'+'.repeat(43)}`],
    ['of a secret with stray bits', `esk_${prefix}_${aliasOf(secret, BASE64URL)}`],
    ['of another secret', withWrongSecret(token)],
    ['of an unknown prefix', `esk_${'a'.repeat(26)}_${secret}`],
    ['begun in upper case', token.replace('esk_', 'ESK_')],
    ['of another start', token.replace('esk_', 'esk-')],
    ['followed by more', `${token}_${secret}`],
    ['in quotes', `"${token}"`],
  ])('%s', async (_, other) => {
    const answer = await askWith(`authorization: Bearer ${other}`);
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });
});

describe('the Authorization header', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('names its scheme in any case: %s', async (scheme) => {
    expect((await askWith(`authorization: ${scheme} ${token}`)).status).toBe(200);
  });

  test.each(['Authorization', 'AUTHORIZATION'])('is named in any case: %s', async (name) => {
    expect((await askWith(`${name}: Bearer ${token}`)).status).toBe(200);
  });

  test('may have white space around its value, which is no part of it', async () => {
    expect((await askWith(`authorization: \t Bearer ${token} \t`)).status).toBe(200);
  });

  const basic = Buffer.from(`api:${token}`).toString('base64');
  test.each([
    ['missing', []],
    ['empty', ['authorization:']],
    ['only a scheme', ['authorization: Bearer']],
    ['only a token', [`authorization: ${token}`]],
    ['Basic with the token', [`authorization: Basic ${token}`]],
    ['Basic with the token as a password', [`authorization: Basic ${basic}`]],
    ['another scheme', [`authorization: Token ${token}`]],
    ['a scheme that only begins so', [`authorization: BearerX ${token}`]],
    ['a scheme and a token with nothing between', [`authorization: Bearer${token}`]],
    ['a tab between', [`authorization: Bearer\t${token}`]],
    ['two tokens', [`authorization: Bearer ${token} ${token}`]],
    ['a list', [`authorization: Bearer ${token}, Bearer ${token}`]],
    ['a list without spaces', [`authorization: Bearer ${token},${token}`]],
    ['a parameter', [`authorization: Bearer token=${token}`]],
    ['sent twice', [`authorization: Bearer ${token}`, `authorization: Bearer ${token}`]],
    ['sent twice, the second empty', [`authorization: Bearer ${token}`, 'authorization:']],
    ['another one’s: a proxy’s', [`proxy-authorization: Bearer ${token}`]],
    ...FORWARDED,
    ['another one’s: an API key’s', [`x-api-key: ${token}`]],
    ['another one’s: a cookie', [`cookie: authorization=Bearer ${token}; token=${token}`]],
  ])('is 401, with the one message, when it is %s', async (_, headers) => {
    const answer = await askWith(...headers);
    expectRefusal(answer, '401 unauthorized');
    expect(answer.body).toMatchObject({ message: 'missing or invalid credentials' });
  });

  test('is the only place: a token in the query is 401', async () => {
    expectRefusal(await sendRaw(stack, `GET /v1/keys?access_token=${token}`), '401 unauthorized');
  });
});
