import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type FirewallId, makeId } from '../../../shared/base/ids.ts';
import { FIREWALLS } from '../../../shared/tenancy/firewall.ts';
import { outcome } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { withStore } from '../../support/stored.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
/** The maximum number of unread answers that the service holds for one tenant. */
const HELD = 4;

/** Makes a tenant's list of firewalls larger than the kernel buffers at both ends of a connection. */
async function fillFirewalls({ id, console }: Tenant): Promise<void> {
  const wanted = { name: 'small', allowed_ips: ['192.0.2.1'] };
  const { body } = await console.send('POST', '/v1/firewalls', wanted);
  await withStore(stack, async (store) => {
    const small = FIREWALLS.decode((await store.doc(`firewalls/${Object(body).id}`).get()).data());
    if (small === undefined) throw new Error(`tenant ${id} has no firewall`);
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

/** Requests every list and report of a tenant. */
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
