import { connect } from 'node:net';
import { z } from 'zod';
import { call } from '../../http-client.ts';
import type { Attack, Attacker } from '../attack.ts';
import { copyDocument } from '../copies.ts';
import { atInterval, inParallel } from '../pace.ts';

const ROWS = 1_000;
const API_KEYS = 1_000;
const LISTED = 100;
const FIREWALLS = 1_000;
const NETWORKS = 64;
/** The interval, in milliseconds, in which the rate limit allows each API key or user one request. */
const RATE_MS = 10;

const created = z.object({ id: z.string() });

/** Tries to exhaust memory, processor time and Firestore reads. */
export const auditPages: Attack = {
  name: 'audit pages',
  sends: `reads of ${ROWS.toLocaleString('en')} audit rows with an API key that has no action, 100 a second`,
  async prepare({ tenant, url, firestore, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    await copyDocument(firestore, { from: 'audit', where: ['key_id', key], fields: ['request_id'], copies: ROWS });
    const token = await tenant.mint({ allowed_actions: [] });
    const page = { method: 'GET', path: `/v1/keys/${key}/audit?limit=${ROWS}`, token };
    return () => atInterval(RATE_MS, stopped, () => send(page));
  },
};

/** Tries to exhaust memory, processor time and Firestore reads with the largest lists of the console. */
export const consoleLists: Attack = {
  name: 'console lists',
  sends: `reads of a list of ${API_KEYS.toLocaleString('en')} API keys with ${LISTED} keys each and of a list of ${FIREWALLS.toLocaleString('en')} firewalls with ${NETWORKS} networks each, 50 a second of each list`,
  async prepare(attacker) {
    const { tenant, stopped, send } = attacker;
    const lists = await fillLists(attacker);
    return () =>
      atInterval(RATE_MS, stopped, (n) =>
        send({ method: 'GET', path: lists[n % lists.length] ?? '', token: tenant.accessToken }),
      );
  },
};

/** Makes the service keep unread answers in its memory. */
export const unreadAnswers: Attack = {
  name: 'unread answers',
  sends: 'the same requests as `console lists`, but the attacker never reads the answers',
  async prepare(attacker) {
    const lists = await fillLists(attacker);
    return () => atInterval(RATE_MS, attacker.stopped, (n) => neverRead(attacker, lists[n % lists.length] ?? ''));
  },
};

/** Fills the lists of API keys and of firewalls. Returns the paths of the lists. */
async function fillLists({ tenant, url, firestore }: Attacker): Promise<string[]> {
  const keys = await inParallel(LISTED, () => tenant.createKey(url, 'wrapped'));
  await tenant.mint({ name: tenant.id, key_ids: keys });
  await copyDocument(firestore, { from: 'apiKeys', where: ['name', tenant.id], fields: ['id'], copies: API_KEYS - 2 });
  const body = { name: 'networks', allowed_ips: Array.from({ length: NETWORKS }, (_, n) => `2001:db8:${n}::/64`) };
  const request = { method: 'POST', path: '/v1/firewalls', token: tenant.accessToken, body };
  const { id } = await call(url, request, created);
  await copyDocument(firestore, { from: 'firewalls', where: ['id', id], fields: ['id'], copies: FIREWALLS - 1 });
  return ['/v1/api-keys', '/v1/firewalls'];
}

/** Sends a request on a new connection and never reads the answer. Counts connections that the service closes. */
function neverRead({ tenant, url, stopped, tally }: Attacker, path: string): void {
  const { hostname, port, host } = new URL(url);
  const startedAt = performance.now();
  const socket = connect(Number(port), hostname).pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${tenant.accessToken}\r\n\r\n`);
  const destroy = () => socket.destroy();
  stopped.addEventListener('abort', destroy);
  socket.on('error', () => undefined);
  socket.once('close', () => {
    stopped.removeEventListener('abort', destroy);
    if (!stopped.aborted) tally.record('closed', performance.now() - startedAt);
  });
}
