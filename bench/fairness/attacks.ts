import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { makeId } from '../../shared/base/ids.ts';
import { makeSecret, viewToken } from '../../shared/tenancy/token.ts';
import { call, type HttpRequest } from '../load.ts';
import { createRequest, mintRequest } from '../tenant.ts';
import { type Attack, type Attacker, atInterval, inParallel, repeat } from './attack.ts';
import { copyDocument } from './copies.ts';
import { WEBHOOK_PATH } from './ordinary.ts';

/** The interval, in milliseconds, in which the rate limit allows each API key or user one request. */
const ALLOWED_EVERY_MS = 10;

const get = (path: string, token?: string): HttpRequest => ({ method: 'GET', path, ...(token && { token }) });
const rotate = (token: string, key: string) => ({ method: 'POST', path: `/v1/keys/${key}/rotate`, token });
const encrypt = (token: string, key: string, bytes: number) => {
  const body = { plaintext: Buffer.alloc(bytes).toString('base64') };
  return { method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body };
};
/** Returns a token with another secret. `n` numbers the secrets. */
const withWrongSecret = (token: string, n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');

const OF_A_WORKLOAD = '300 a second, and 20 requests a second of its workload';

/** All attacks, in the order in which `npm run drill -- fairness` makes them. */
export const ATTACKS: readonly Attack[] = [
  // Changes one key concurrently: the changes compete for the key's serial queue and for its locks in the emulator.
  {
    name: 'rotations of one key',
    sends: 'batches of 80 simultaneous rotations of one `free` key',
    async prepare({ tenant, url, stopped, send }) {
      const key = await tenant.createKey(url, 'free');
      return () => repeat(stopped, () => inParallel(80, () => send(rotate(tenant.apiKey, key))));
    },
  },
  // Tries to exhaust the concurrency limit of key changes.
  {
    name: 'rotations of many keys',
    sends: 'batches of 80 simultaneous rotations of 40 `wrapped` keys',
    async prepare({ tenant, url, stopped, send }) {
      const keys = await inParallel(40, () => tenant.createKey(url, 'wrapped'));
      return () => repeat(stopped, () => inParallel(80, (n) => send(rotate(tenant.apiKey, keys[n % 40] ?? ''))));
    },
  },
  // Tries to exhaust the KMS's write quota.
  {
    name: 'writes of the KMS',
    sends: 'a rotation of one `software` key every 100 ms, while the KMS accepts only 100 writes a minute',
    // Rotations run one after another, so they need more time than usual to exhaust the quota.
    durationFactor: 4,
    async prepare({ tenant, url, stopped, send }) {
      const key = await tenant.createKey(url, 'software');
      return () => atInterval(100, stopped, () => send(rotate(tenant.apiKey, key)));
    },
  },
  // Tries to exhaust the KMS's write quota, also with requests that the service refuses.
  {
    name: 'changes of accomplices',
    sends:
      'rotations of 4 `software` keys by each of two tenants, and creations with a name that is taken by a third tenant, 100 a second by each',
    async prepare({ tenant, makeAccomplice, url, stopped, send }) {
      const attacks = await Promise.all(
        [tenant, await makeAccomplice()].map(async ({ apiKey, createKey }) => {
          const keys = await inParallel(4, () => createKey(url, 'software'));
          return (n: number) => send(rotate(apiKey, keys[n % 4] ?? ''));
        }),
      );
      const taken = createRequest((await makeAccomplice()).apiKey, 'software');
      await call(url, taken, z.unknown());
      attacks.push(() => send(taken));
      return () => atInterval(ALLOWED_EVERY_MS, stopped, (n) => attacks.map((attack) => attack(n)));
    },
  },
  // Tries to exhaust the KMS operations. A failed operation is not billed.
  {
    name: 'garbage of two tenants',
    sends:
      "batches of 100 invalid values to Transit's `decrypt` with a `software` key, one batch a second with each of 4 API keys of two tenants",
    async prepare({ tenant, makeAccomplice, url, stopped, send }) {
      const ciphertext = `vault:v1:${Buffer.alloc(64).toString('base64')}`;
      const body = { batch_input: Array(100).fill({ ciphertext }) };
      const tenants = [tenant, await makeAccomplice()];
      const tokens = (await Promise.all(tenants.map((one) => inParallel(4, () => one.mint())))).flat();
      for (const { apiKey: token } of tenants) {
        await call(url, { method: 'POST', path: '/v1/transit/keys/garbage', token, body: {} }, z.unknown());
      }
      const decrypt = (token: string) => send({ method: 'POST', path: '/v1/transit/decrypt/garbage', token, body });
      return () => atInterval(1_000 / tokens.length, stopped, (n) => decrypt(tokens[n % tokens.length] ?? ''));
    },
  },
  // Tries to exhaust the concurrency limit of requests, and the resources that a request uses before its body is read.
  {
    name: 'slow bodies',
    sends: '500 simultaneous requests of one API key, whose bodies never end',
    prepare: (attacker) => encryptSlowly(attacker, [attacker.tenant.apiKey], 500),
  },
  // Sends more concurrent requests than one process accepts.
  {
    name: 'slow bodies of many',
    sends: '100 simultaneous requests of each of 25 API keys, whose bodies never end',
    prepare: async (attacker) => encryptSlowly(attacker, await inParallel(25, () => attacker.tenant.mint()), 100),
  },
  // Tries to exhaust the queue for checking secrets. The first use of every API key must wait in this queue.
  {
    name: 'wrong secrets',
    sends: 'wrong secrets for 6 API keys, 100 a second for each',
    async prepare({ tenant, stopped, send }) {
      const tokens = await inParallel(6, () => tenant.mint());
      return () =>
        atInterval(ALLOWED_EVERY_MS, stopped, (n) =>
          tokens.map((token) => send(get('/v1/keys', withWrongSecret(token, n)))),
        );
    },
  },
  // Tries to exhaust the queue for hashing the secrets of new API keys.
  {
    name: 'minting',
    sends: 'requests for new API keys, always 64 at a time',
    prepare:
      async ({ tenant, stopped, send }) =>
      () =>
        inParallel(64, () => repeat(stopped, () => send(mintRequest(tenant.accessToken)))),
  },
  // Tries to exhaust processor time, and the commits that update the operation count of one key.
  {
    name: 'one hot key',
    sends: 'encryption with one `wrapped` key, 100 requests a second with each of 4 API keys',
    async prepare({ tenant, url, stopped, send }) {
      const key = await tenant.createKey(url, 'wrapped');
      const requests = (await inParallel(4, () => tenant.mint())).map((token) => encrypt(token, key, 1_024));
      return () => atInterval(ALLOWED_EVERY_MS, stopped, () => requests.map(send));
    },
  },
  // Tries to exhaust the concurrency limit of policy decisions: each API key needs its own call.
  {
    name: 'key lists',
    sends: 'encryption with 100 API keys, each restricted to 100 keys: all send a request at once, four times a second',
    async prepare({ tenant, url, firestore, stopped, send }) {
      const key = await tenant.createKey(url, 'wrapped');
      const copies = await copyDocument(firestore, { from: 'keys', where: ['id', key], fields: ['id'], copies: 99 });
      const tokens: string[] = [];
      while (tokens.length < 100) {
        tokens.push(...(await inParallel(10, () => tenant.mint({ key_ids: [key, ...copies] }))));
      }
      const requests = tokens.map((token) => encrypt(token, key, 32));
      return () => atInterval(250, stopped, () => requests.map(send));
    },
  },
  // Tries to exhaust the concurrency limit of webhooks.
  {
    name: 'slow webhooks',
    sends: '64 simultaneous webhooks with a wrong signature, whose bodies never end',
    prepare: async (attacker) => () =>
      keepOpen(attacker, 64, `POST ${WEBHOOK_PATH} HTTP/1.1\r\nstripe-signature: t=1,v1=00\r\n`),
  },
  // Tries to exhaust the dependencies with readiness checks.
  {
    name: 'readiness',
    sends: '`GET /health/ready` without a credential, 50 a second',
    prepare:
      async ({ stopped, send }) =>
      () =>
        atInterval(20, stopped, () => send(get('/health/ready'))),
  },
  // Tries to overload Firestore with reads.
  {
    name: 'unknown API keys',
    sends: 'requests with unknown API keys, 300 a second',
    prepare:
      async ({ stopped, send }) =>
      () =>
        atInterval(10, stopped, () => [1, 2, 3].map(() => send(get('/v1/keys', makeUnknownToken())))),
  },
  // Tries to use up the processor time.
  {
    name: 'OpenAPI document',
    sends: '`GET /v1/openapi.json` without a credential, 200 a second',
    prepare:
      async ({ stopped, send }) =>
      () =>
        atInterval(5, stopped, () => send(get('/v1/openapi.json'))),
  },
  // Tries to use up processor time and reads of Firestore. Everybody can get signed ID tokens of a public issuer.
  {
    name: 'ID tokens of strangers',
    sends: `well-signed ID tokens for one API key that match none of its federations, ${OF_A_WORKLOAD}`,
    async prepare(attacker) {
      const { id, idToken } = await attacker.tenant.federate();
      const tokens = await inParallel(60, (n) => attacker.tenant.idToken(id, `stranger ${n}`));
      return () => flood(attacker, idToken, (n) => tokens[n % 60] ?? '');
    },
  },
  // Tries to make the service read the issuer's keys again and again.
  {
    name: 'unknown keys of an issuer',
    sends: `ID tokens for one API key with names of keys that the issuer does not have, ${OF_A_WORKLOAD}`,
    async prepare(attacker) {
      const { idToken } = await attacker.tenant.federate();
      const [, ...signed] = idToken.split('.');
      const header = (n: number) => JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: `unknown ${n}` });
      return () => flood(attacker, idToken, (n) => [Buffer.from(header(n)).toString('base64url'), ...signed].join('.'));
    },
  },
  // Tries to keep the workload of an API key from using it.
  {
    name: 'wrong secrets of one API key',
    sends: 'wrong secrets for one API key, 100 a second, and 20 requests a second of its workload',
    async prepare(attacker) {
      const { token, idToken } = await attacker.tenant.federate();
      return () => attackBeside(attacker, idToken, (n) => attacker.send(get('/v1/caller', withWrongSecret(token, n))));
    },
  },
  // Tries to exhaust memory, processor time and Firestore reads.
  {
    name: 'audit pages',
    sends: 'reads of 1,000 audit rows with an API key that has no action, 100 a second',
    async prepare({ tenant, url, firestore, stopped, send }) {
      const key = await tenant.createKey(url, 'wrapped');
      await copyDocument(firestore, { from: 'audit', where: ['key_id', key], fields: ['request_id'], copies: 1_000 });
      const page = get(`/v1/keys/${key}/audit?limit=1000`, await tenant.mint({ allowed_actions: [] }));
      return () => atInterval(ALLOWED_EVERY_MS, stopped, () => send(page));
    },
  },
  // Tries to exhaust memory, processor time and Firestore reads with the largest lists of the console.
  {
    name: 'console lists',
    sends:
      'reads of a list of 1,000 API keys with 100 keys each and of a list of 1,000 firewalls with 64 networks each, 50 a second of each list',
    async prepare(attacker) {
      const { tenant, stopped, send } = attacker;
      const lists = await fillLists(attacker);
      return () =>
        atInterval(ALLOWED_EVERY_MS, stopped, (n) => send(get(lists[n % lists.length] ?? '', tenant.accessToken)));
    },
  },
  // Makes the service keep unread answers in its memory.
  {
    name: 'unread answers',
    sends: 'the same requests as `console lists`, but the attacker never reads the answers',
    async prepare(attacker) {
      const lists = await fillLists(attacker);
      return () =>
        atInterval(ALLOWED_EVERY_MS, attacker.stopped, (n) => neverRead(attacker, lists[n % lists.length] ?? ''));
    },
  },
  // Tries to exhaust processor time and reads. It is the last attack, because its keys stay and slow down the emulator.
  {
    name: 'large lists',
    sends: 'reads of the keys, usage, statement and audit log of a tenant with 10,000 keys, always 4 of each at a time',
    async prepare({ tenant, url, firestore, stopped, send }) {
      const key = await tenant.createKey(url, 'wrapped');
      await copyDocument(firestore, { from: 'keys', where: ['id', key], fields: ['id'], copies: 9_999 });
      const reads = [
        get('/v1/keys', tenant.apiKey),
        get('/v1/usage', tenant.apiKey),
        get('/v1/billing/statement', tenant.accessToken),
        get('/v1/audit?limit=1000', tenant.accessToken),
      ];
      return () => Promise.all(reads.map((read) => inParallel(4, () => repeat(stopped, () => send(read)))));
    },
  },
];

async function encryptSlowly(attacker: Attacker, tokens: readonly string[], each: number) {
  const key = await attacker.tenant.createKey(attacker.url, 'wrapped');
  const head = (token: string) => `POST /v1/keys/${key}/encrypt HTTP/1.1\r\nauthorization: Bearer ${token}\r\n`;
  return () => Promise.all(tokens.map((token) => keepOpen(attacker, each, head(token))));
}

/**
 * Keeps `count` requests open at the same time. Opens at most one request per interval, and replaces requests that were
 * answered.
 */
function keepOpen(attacker: Attacker, count: number, head: string): Promise<void> {
  let open = 0;
  return atInterval(ALLOWED_EVERY_MS, attacker.stopped, () => {
    if (open >= count) return;
    open++;
    sendSlowly(attacker, head).once('close', () => open--);
  });
}

/** Sends a request whose body never ends. */
function sendSlowly(attacker: Attacker, head: string): Socket {
  const startedAt = performance.now();
  const socket = open(attacker, `${head}content-type: application/json\r\ncontent-length: 60000\r\n`);
  socket.write('{');
  const drip = setInterval(() => socket.write(' '), 1_000);
  socket.once('data', (answer) => {
    const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(answer.toString()) ?? [];
    const [, error = ''] = /"error":"(\w+)"/.exec(answer.toString()) ?? [];
    attacker.tally.record(`${status} ${error}`.trim(), performance.now() - startedAt);
    socket.destroy();
  });
  return socket.once('close', () => clearInterval(drip));
}

/** Sends a request on a new connection and never reads the answer. Counts connections that the service closes. */
function neverRead(attacker: Attacker, path: string): void {
  const startedAt = performance.now();
  const head = `GET ${path} HTTP/1.1\r\nauthorization: Bearer ${attacker.tenant.accessToken}\r\n`;
  const socket = open(attacker, head).pause();
  socket.once('close', () => {
    if (!attacker.stopped.aborted) attacker.tally.record('closed', performance.now() - startedAt);
  });
}

/** Opens a connection until the attack ends, and sends the head of a request. */
function open({ url, stopped }: Attacker, head: string): Socket {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), signal: stopped });
  socket.write(`${head}host: ${host}\r\n\r\n`);
  return socket.on('error', () => undefined);
}

/** Fills the lists of API keys and of firewalls. Returns the paths of the lists. */
async function fillLists({ tenant, url, firestore }: Attacker): Promise<string[]> {
  const keys = await inParallel(100, () => tenant.createKey(url, 'wrapped'));
  await tenant.mint({ name: tenant.id, key_ids: keys });
  await copyDocument(firestore, { from: 'apiKeys', where: ['name', tenant.id], fields: ['id'], copies: 998 });
  const body = { name: 'networks', allowed_ips: Array.from({ length: 64 }, (_, n) => `2001:db8:${n}::/64`) };
  const request = { method: 'POST', path: '/v1/firewalls', token: tenant.accessToken, body };
  const { id } = await call(url, request, z.object({ id: z.string() }));
  await copyDocument(firestore, { from: 'firewalls', where: ['id', id], fields: ['id'], copies: 999 });
  return ['/v1/api-keys', '/v1/firewalls'];
}

function makeUnknownToken(): string {
  return viewToken({ apiKeyId: makeId(), secret: makeSecret() });
}

/** Sends three tokens every 10 ms, while the workload sends 20 requests a second. */
function flood(attacker: Attacker, idToken: string, token: (n: number) => string): Promise<unknown> {
  return attackBeside(attacker, idToken, (n) =>
    [0, 1, 2].map((one) => attacker.send(get('/v1/caller', token(3 * n + one)))),
  );
}

/** Attacks 100 times a second, while the workload sends 20 requests a second. */
function attackBeside(attacker: Attacker, idToken: string, attack: (n: number) => unknown): Promise<unknown> {
  return atInterval(ALLOWED_EVERY_MS, attacker.stopped, (n) => {
    if (n % 5 === 0) void attacker.sendAsVictim(get('/v1/caller', idToken));
    return attack(n);
  });
}
