import { describe, expect, inject, test } from 'vitest';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { queries } from '../../shared/store/exported-shapes.ts';

const COLLECTIONS = new Set([
  ...['tenants', 'teams', 'subjects', 'containers', 'firewalls', 'apiKeys', 'names', 'keys', 'audit', 'usage'],
  ...['statements', 'objectCounts', 'anything'],
  ...[...queries.values()].map(({ from }) => from.name),
]);

/** Returns the token of a signed-in user, without a signature, because the emulator checks no signature. */
function userToken(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const issuer = 'https://securetoken.google.com/demo-encryption';
  const standard = { iss: issuer, aud: 'demo-encryption', iat: now, exp: now + 3600, auth_time: now };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...standard, ...claims })}.`;
}

const stack = inject('stack');

/** Sends a request for `path` to the stack's Firestore emulator. Returns the status of the answer. */
async function ask(token: string | undefined, method: string, path: string, body?: unknown): Promise<number> {
  const port = portsOf(stack).firestore;
  const url = `http://127.0.0.1:${port}/v1/projects/demo-encryption/databases/(default)/documents${path}`;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...authorization },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

const DOCUMENT = { fields: { tenant_id: { stringValue: 'x' } } };

/** Returns a request for each way in which a client could access a collection. */
function attempts(collection: string): readonly (readonly [string, string, unknown?])[] {
  return [
    ['GET', `/${collection}/x`],
    ['GET', `/${collection}`],
    ['POST', ':runQuery', { structuredQuery: { from: [{ collectionId: collection }] } }],
    ['POST', `/${collection}?documentId=made`, DOCUMENT],
    ['PATCH', `/${collection}/x`, DOCUMENT],
    ['DELETE', `/${collection}/x`],
    ['GET', `/${collection}/x/below/y`],
  ];
}

const CLIENTS = {
  'a client that is not signed in': undefined,
  'a signed-in user': userToken({ sub: 'someone', user_id: 'someone' }),
  'a signed-in user who claims to be an administrator': userToken({ sub: 'someone', user_id: 'someone', admin: true }),
};

describe.each(Object.entries(CLIENTS))('access to the store by %s', (who, token) => {
  test.each([...COLLECTIONS])(`${who} can neither read nor write %s`, async (collection) => {
    for (const [method, path, body] of attempts(collection)) {
      expect([method, path, await ask(token, method, path, body)]).toEqual([method, path, 403]);
    }
  });
});

test('a server’s credentials can read and write the store', async () => {
  expect(await ask('owner', 'PATCH', '/anything/x', DOCUMENT)).toBe(200);
  expect(await ask('owner', 'GET', '/anything/x')).toBe(200);
  expect(await ask('owner', 'GET', '/keys')).toBe(200);
  expect(await ask('owner', 'DELETE', '/anything/x')).toBe(200);
});
