import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type FirewallId, makeId } from '../../../shared/base/ids.ts';
import { FIREWALLS } from '../../../shared/tenancy/firewall.ts';
import { outcome } from '../../support/client.ts';
import { withStore } from '../../support/firestore.ts';
import { operate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { Client, makeFirewall, makeTenant, type Tenant } from '../../support/tenant.ts';

/** A separate stack, because the flood uses up the capacity of the process to check secrets. */
const stack = ownStack();
const FLOODED = 6;
/** The number of wrong secrets that are sent at once for one API key, repeatedly. */
const CONCURRENT = 12;
const FIRST_USES = 5;

function wrongToken({ token = '' }: Client): string {
  return `${token.slice(0, -43)}${randomBytes(32).toString('base64url')}`;
}

function mintSome(tenant: Tenant, count: number): Promise<Client[]> {
  return Promise.all(Array.from({ length: count }, async () => (await tenant.mint()).client));
}

test('wrong secrets for six API keys do not block the first use of other API keys, in the same tenant or another', async () => {
  const [flooded, other] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
  const known = await mintSome(flooded, FLOODED);
  const unused = [...(await mintSome(flooded, FIRST_USES)), ...(await mintSome(other, FIRST_USES))];
  const refusals = new Set<string>();
  const full = Promise.withResolvers<void>();
  let isOver = false;
  const flood = known.flatMap((client) =>
    Array.from({ length: CONCURRENT }, async () => {
      while (!isOver) {
        const refusal = outcome(await new Client(stack, wrongToken(client)).send('GET', '/v1/keys'));
        refusals.add(refusal);
        if (refusal === '503 unavailable') full.resolve();
      }
    }),
  );
  await full.promise;
  const uses = await Promise.all(unused.map((client) => client.send('GET', '/v1/keys')));
  isOver = true;
  await Promise.all(flood);
  expect(uses.map(outcome)).toEqual(Array(2 * FIRST_USES).fill('200'));
  expect(refusals).toContain('401 unauthorized');
});

/** The maximum number of unread answers that the service holds for one tenant. */
const HELD = 4;

/** Makes a tenant's list of firewalls larger than the kernel buffers at both ends of a connection. */
async function fillFirewalls(tenant: Tenant): Promise<void> {
  const id = await makeFirewall(tenant);
  await withStore(stack, async (store) => {
    const small = FIREWALLS.decode((await store.doc(`firewalls/${id}`).get()).data());
    if (small === undefined) throw new Error('the tenant has no firewall');
    for (let n = 0; n < 20; n++) {
      const large = { ...small, id: makeId<FirewallId>(), name: 'x'.repeat(400_000) };
      await store.doc(`firewalls/${large.id}`).create(FIREWALLS.encode(large));
    }
  });
}

/** Requests a list and reads only the beginning of the answer. Returns a function that closes the connection. */
async function leaveUnread({ token }: Client, path: string): Promise<() => void> {
  const { hostname, port, host } = new URL(stack.baseUrl);
  const socket = connect(Number(port), hostname);
  const close = () => void socket.destroy();
  onTestFinished(close);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  return close;
}

function requestAllLists({ console, api }: Tenant, keyId: string) {
  const forSessions = [
    'api-keys',
    'firewalls',
    'containers',
    'audit',
    'audit/seals',
    'audit/entries',
    'billing/statement',
  ];
  const forBoth = ['keys', 'usage', 'usage/daily', `keys/${keyId}/audit`];
  return [
    ...[...forSessions, ...forBoth].map((path) => console.send('GET', `/v1/${path}`)),
    ...[...forBoth, 'transit/keys?list=true'].map((path) => api.send('GET', `/v1/${path}`)),
  ];
}

test('a tenant that does not read large answers delays its own lists, but not the lists of other tenants', async () => {
  const [slowReader, otherTenant] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
  const [slowReaderKey, otherKey] = await Promise.all([
    slowReader.createKey('wrapped'),
    otherTenant.createKey('wrapped'),
  ]);
  await fillFirewalls(slowReader);
  const unread = await Promise.all(
    Array.from({ length: HELD }, () => leaveUnread(slowReader.console, '/v1/firewalls')),
  );
  const waiting = requestAllLists(slowReader, slowReaderKey);
  const answered: string[] = [];
  for (const answer of waiting) void answer.then((one) => answered.push(outcome(one)));

  const others = (await Promise.all(requestAllLists(otherTenant, otherKey))).map(outcome);
  expect(new Set(others)).toEqual(new Set(['200']));
  expect(outcome(await operate(otherTenant.api, otherKey, 'wrap', {}))).toBe('200');
  expect(outcome(await operate(slowReader.api, slowReaderKey, 'wrap', {}))).toBe('200');
  expect(answered).toEqual([]);

  for (const close of unread) close();
  expect(new Set((await Promise.all(waiting)).map(outcome))).toEqual(new Set(['200']));
});
