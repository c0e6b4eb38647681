import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { badCredentials } from '../../support/bad-credentials.ts';
import { type RawAnswer, sendRaw } from '../../support/raw.ts';
import { type Client, makeTenant, signIn } from '../../support/tenant.ts';

const stack = inject('stack');
let key: string;
let credentials: Readonly<Record<string, Client>>;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  key = await tenant.createKey('wrapped');
  credentials = {
    ...(await badCredentials(tenant)),
    'session for another audience': await signIn(stack, tenant.subject, { audience: 'another' }),
    'session of another issuer': await signIn(stack, tenant.subject, { issuer: 'https://other.example' }),
  };
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
    const start = call.replace('{key}', key).replace('{unknown}', randomUUID());
    const lines = ['x-request-id: mine', 'content-type: application/json', `content-length: ${body.length}`];
    const answers = new Map<string, unknown>();
    for (const [cause, { token }] of Object.entries(credentials)) {
      const authorization = token === undefined ? [] : [`authorization: Bearer ${token}`];
      answers.set(cause, visiblePartOf(await sendRaw(stack, start, [...lines, ...authorization], body)));
    }
    answers.set(
      'another scheme',
      visiblePartOf(await sendRaw(stack, start, [...lines, 'authorization: Basic eDp5'], body)),
    );
    const none = answers.get('none');
    expect(none).toMatchObject({ status: /transit|token/.test(start) ? 403 : 401 });
    for (const [cause, answer] of answers) expect(answer, cause).toEqual(none);
  },
);
