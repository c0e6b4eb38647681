import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { badCredentials } from '../../support/bad-credentials.ts';
import { type RawAnswer, sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let token: string;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  token = tenant.api.token ?? '';
});
const ask = (...headers: readonly string[]) => sendRaw(stack, 'GET /v1/keys', headers);

test.each(['Authorization: Bearer', 'AUTHORIZATION: bEaReR', 'authorization: \t bearer'])(
  'the service accepts the token that was shown when the API key was created: %j',
  async (start) => {
    expect((await ask(`${start} ${token} \t`)).status).toBe(200);
  },
);

/** This case is not tested on a deployed service, because its gateway sends the token to the service in this header. */
const FORWARDED: [string, () => string[]][] = DEPLOYED
  ? []
  : [['a token in X-Forwarded-Authorization', () => [`x-forwarded-authorization: Bearer ${token}`]]];

test.each<[string, () => string[]]>([
  ['a secret one character too short', () => [`authorization: Bearer ${token.slice(0, -1)}`]],
  ['a padded secret', () => [`authorization: Bearer ${token}=`]],
  ['a prefix in upper case', () => [`authorization: Bearer ${token.slice(0, 30).toUpperCase()}${token.slice(30)}`]],
  ['a token in quotes', () => [`authorization: Bearer "${token}"`]],
  ['an empty Authorization header', () => ['authorization:']],
  ['the scheme Basic', () => [`authorization: Basic ${Buffer.from(`api:${token}`).toString('base64')}`]],
  ['two comma-separated credentials', () => [`authorization: Bearer ${token}, Bearer ${token}`]],
  ['two Authorization headers', () => [`authorization: Bearer ${token}`, `authorization: Bearer ${token}`]],
  ['two Authorization headers, the second empty', () => [`authorization: Bearer ${token}`, 'authorization:']],
  ['a token in Proxy-Authorization', () => [`proxy-authorization: Bearer ${token}`]],
  ...FORWARDED,
  ['a token in X-API-Key', () => [`x-api-key: ${token}`]],
  ['a token in a cookie', () => [`cookie: authorization=Bearer ${token}; token=${token}`]],
])('a request with %s is refused with 401', async (_, headers) => {
  expectRefusal(await ask(...headers()), '401 unauthorized');
});

test('a token in the query string is refused with 401', async () => {
  expectRefusal(await sendRaw(stack, `GET /v1/keys?access_token=${token}`), '401 unauthorized');
});

/** Returns the status, headers and text of an answer, without the header `date`. */
function visiblePartOf({ status, headers, text }: RawAnswer): unknown {
  return { status, headers: [...headers].filter(([name]) => name !== 'date'), text };
}

test.each([
  ['GET /v1/keys', ''],
  ['GET /v1/me', ''],
  ['POST /v1/keys/{key}/encrypt', '{"plaintext":"AAAA"}'],
  ['POST /v1/keys/{unknown}/decrypt', '{'],
  ['DELETE /v1/keys/{key}', ''],
  ['GET /v1/keys/not-a-uuid', ''],
  ['PUT /v1/transit/encrypt/any', '{"plaintext":"AAAA"}'],
  ['GET /v1/auth/token/lookup-self', ''],
])(
  'the answer to %s is the same, byte for byte except the date, whatever is wrong with the credential',
  async (call, body) => {
    const key = await tenant.createKey('wrapped');
    const credentials = {
      ...(await badCredentials(tenant)),
      'session for another audience': await signIn(stack, tenant.subject, { audience: 'another' }),
      'session of another issuer': await signIn(stack, tenant.subject, { issuer: 'https://other.example' }),
    };
    const start = call.replace('{key}', key).replace('{unknown}', randomUUID());
    const lines = ['x-request-id: mine', 'content-type: application/json', `content-length: ${body.length}`];
    const answers = new Map<string, unknown>();
    for (const [cause, { token }] of Object.entries(credentials)) {
      const authorization = token === undefined ? [] : [`authorization: Bearer ${token}`];
      answers.set(cause, visiblePartOf(await sendRaw(stack, start, [...lines, ...authorization], body)));
    }
    const basic = await sendRaw(stack, start, [...lines, 'authorization: Basic eDp5'], body);
    answers.set('another scheme', visiblePartOf(basic));
    const none = answers.get('none');
    expect(none).toMatchObject({ status: /transit|token/.test(start) ? 403 : 401 });
    for (const [cause, answer] of answers) expect(answer, cause).toEqual(none);
  },
);
