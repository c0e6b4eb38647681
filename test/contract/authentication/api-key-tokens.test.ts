import { beforeAll, expect, inject, test } from 'vitest';
import { sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let token: string;
beforeAll(async () => {
  token = (await makeTenant(stack)).api.token ?? '';
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
