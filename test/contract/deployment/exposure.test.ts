import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, inject, test } from 'vitest';
import { functionPortsOf, portsOf } from '../../../emulators/stack/ports.ts';
import { queries } from '../../shared/store/exported-shapes.ts';

const stack = inject('stack');
const { functions: _, ...ports } = portsOf(stack);

/** The machine's own addresses. On Linux, all of 127.0.0.0/8 is this machine, so one more address is always there. */
const ADDRESSES = [
  ...Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address),
  ),
  ...(process.platform === 'linux' ? ['127.0.0.2'] : []),
];

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}

test('every port of a running stack is closed at the machine’s addresses on the network', async () => {
  expect(await accepts('127.0.0.1', ports.service)).toBe(true);
  const all = [...Object.values(ports), ...functionPortsOf(portsOf(stack)).map(({ port }) => port)];
  const open: string[] = [];
  for (const host of ADDRESSES) for (const port of all) if (await accepts(host, port)) open.push(`${host} ${port}`);
  expect(open).toEqual([]);
});

/** Returns the token of a signed-in user, without a signature, because the emulator checks no signature. */
function userToken(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const issuer = 'https://securetoken.google.com/demo-encryption';
  const standard = { iss: issuer, aud: 'demo-encryption', iat: now, exp: now + 3600, auth_time: now };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...standard, ...claims })}.`;
}

async function ask(token: string | undefined, method: string, path: string, body?: unknown): Promise<number> {
  const url = `http://127.0.0.1:${ports.firestore}/v1/projects/demo-encryption/databases/(default)/documents${path}`;
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

const DOCUMENT = { fields: { tenant_id: { stringValue: 'x' } } };

/** Returns a request for each way in which a client could access a collection. */
const attempts = (collection: string): readonly (readonly [string, string, unknown?])[] => [
  ['GET', `/${collection}/x`],
  ['GET', `/${collection}`],
  ['POST', ':runQuery', { structuredQuery: { from: [{ collectionId: collection }] } }],
  ['POST', `/${collection}?documentId=made`, DOCUMENT],
  ['PATCH', `/${collection}/x`, DOCUMENT],
  ['DELETE', `/${collection}/x`],
  ['GET', `/${collection}/x/below/y`],
];

test.each([
  ['a client that is not signed in', undefined],
  ['a signed-in user', userToken({ sub: 'someone', user_id: 'someone' })],
  ['a signed-in user who claims to be an administrator', userToken({ sub: 'one', user_id: 'one', admin: true })],
])('%s can neither read nor write any collection of the store', async (_, token) => {
  const collections = new Set([
    ...['tenants', 'teams', 'subjects', 'containers', 'firewalls', 'apiKeys', 'names', 'keys', 'audit', 'usage'],
    ...['statements', 'objectCounts', 'anything'],
    ...[...queries.values()].map(({ from }) => from.name),
  ]);
  for (const [method, path, body] of [...collections].flatMap(attempts)) {
    expect([method, path, await ask(token, method, path, body)]).toEqual([method, path, 403]);
  }
});

test('a server’s credentials can read and write the store', async () => {
  expect(await ask('owner', 'PATCH', '/anything/x', DOCUMENT)).toBe(200);
  expect(await ask('owner', 'GET', '/anything/x')).toBe(200);
  expect(await ask('owner', 'GET', '/keys')).toBe(200);
  expect(await ask('owner', 'DELETE', '/anything/x')).toBe(200);
});
