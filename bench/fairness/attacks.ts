import { connect } from 'node:net';
import { z } from 'zod';
import { makeId } from '../../shared/base/ids.ts';
import { makeSecret, viewToken } from '../../shared/tenancy/token.ts';
import { call } from '../load.ts';
import { createRequest, mintRequest } from '../tenant.ts';
import { type Attack, type Attacker, atInterval, inParallel, repeat } from './attack.ts';
import { copyDocument } from './copies.ts';
import { WEBHOOK_PATH } from './ordinary.ts';

const ROTATED_AT_ONCE = 80;
const ROTATED_KEYS = 40;

const rotate = (token: string, key: string) => ({ method: 'POST', path: `/v1/keys/${key}/rotate`, token });

/**
 * Changes one key concurrently, so that the changes compete for the key's serial queue and for its locks in the
 * Firestore emulator.
 */
const rotationsOfOneKey: Attack = {
  name: 'rotations of one key',
  sends: `batches of ${ROTATED_AT_ONCE} simultaneous rotations of one \`free\` key`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'free');
    return () => repeat(stopped, () => inParallel(ROTATED_AT_ONCE, () => send(rotate(tenant.apiKey, key))));
  },
};

/** Tries to exhaust the concurrency limit of key changes. */
const rotationsOfManyKeys: Attack = {
  name: 'rotations of many keys',
  sends: `batches of ${ROTATED_AT_ONCE} simultaneous rotations of ${ROTATED_KEYS} \`wrapped\` keys`,
  async prepare({ tenant, url, stopped, send }) {
    const keys = await inParallel(ROTATED_KEYS, () => tenant.createKey(url, 'wrapped'));
    const one = (n: number) => send(rotate(tenant.apiKey, keys[n % ROTATED_KEYS] ?? ''));
    return () => repeat(stopped, () => inParallel(ROTATED_AT_ONCE, one));
  },
};

/** Tries to exhaust the KMS's write quota. */
const writesOfTheKms: Attack = {
  name: 'writes of the KMS',
  sends: 'a rotation of one `software` key every 100 ms, while the KMS accepts only 100 writes a minute',
  // Rotations run one after another, so they need more time than usual to exhaust the quota.
  durationFactor: 4,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'software');
    return () => atInterval(100, stopped, () => send(rotate(tenant.apiKey, key)));
  },
};

const ACCOMPLICES = 4;
const ACCOMPLICE_KEYS = 4;
const BATCH = 100;
/** The interval, in milliseconds, in which the rate limit allows each API key one request. */
const EACH_SECOND_MS = 10;

/** Tries to exhaust the KMS operations. A failed operation is not billed. */
const garbageOfTwoTenants: Attack = {
  name: 'garbage of two tenants',
  sends: `batches of ${BATCH} invalid values to Transit's \`decrypt\` with a \`software\` key, one batch a second with each of ${ACCOMPLICES} API keys of two tenants`,
  async prepare({ tenant, makeAccomplice, url, stopped, send }) {
    const ciphertext = `vault:v1:${Buffer.alloc(64).toString('base64')}`;
    const body = { batch_input: Array(BATCH).fill({ ciphertext }) };
    const tenants = [tenant, await makeAccomplice()];
    const minted = tenants.map((one) => inParallel(ACCOMPLICES, () => one.mint()));
    const tokens = (await Promise.all(minted)).flat();
    for (const { apiKey: token } of tenants) {
      await call(url, { method: 'POST', path: '/v1/transit/keys/garbage', token, body: {} }, z.unknown());
    }
    const decrypt = (token: string) => send({ method: 'POST', path: '/v1/transit/decrypt/garbage', token, body });
    return () => atInterval(1_000 / tokens.length, stopped, (n) => decrypt(tokens[n % tokens.length] ?? ''));
  },
};

/** Tries to exhaust the KMS's write quota, also with requests that the service refuses. */
const changesOfAccomplices: Attack = {
  name: 'changes of accomplices',
  sends: `rotations of ${ACCOMPLICE_KEYS} \`software\` keys by each of two tenants, and creations with a name that is taken by a third tenant, 100 a second by each`,
  async prepare({ tenant, makeAccomplice, url, stopped, send }) {
    const attacks = await Promise.all(
      [tenant, await makeAccomplice()].map(async ({ apiKey: token, createKey }) => {
        const keys = await inParallel(ACCOMPLICE_KEYS, () => createKey(url, 'software'));
        return (n: number) => send({ method: 'POST', path: `/v1/keys/${keys[n % ACCOMPLICE_KEYS]}/rotate`, token });
      }),
    );
    const taken = createRequest((await makeAccomplice()).apiKey, 'software');
    await call(url, taken, z.unknown());
    attacks.push(() => send(taken));
    return () => atInterval(EACH_SECOND_MS, stopped, (n) => attacks.map((attack) => attack(n)));
  },
};

const OF_ONE = 500;
const SLOW_API_KEYS = 25;
const OF_EACH = 100;
const WEBHOOKS = 64;
const DRIP_MS = 1_000;
/** The interval, in milliseconds, in which the rate limit allows each API key one request. */
const SLOW_EVERY_MS = 10;

/** Tries to exhaust the concurrency limit of requests, and the resources that a request uses before its body has been read. */
const slowBodies: Attack = {
  name: 'slow bodies',
  sends: `${OF_ONE} simultaneous requests of one API key, whose bodies never end`,
  prepare: (attacker) => encryptSlowly(attacker, [attacker.tenant.apiKey], OF_ONE),
};

/** Sends more concurrent requests than one process accepts. */
const slowBodiesOfMany: Attack = {
  name: 'slow bodies of many',
  sends: `${OF_EACH} simultaneous requests of each of ${SLOW_API_KEYS} API keys, whose bodies never end`,
  async prepare(attacker) {
    return encryptSlowly(attacker, await inParallel(SLOW_API_KEYS, () => attacker.tenant.mint()), OF_EACH);
  },
};

/** Tries to exhaust the concurrency limit of webhooks. */
const slowWebhooks: Attack = {
  name: 'slow webhooks',
  sends: `${WEBHOOKS} simultaneous webhooks with a wrong signature, whose bodies never end`,
  prepare: async (attacker) => () =>
    keepOpen(attacker, WEBHOOKS, `POST ${WEBHOOK_PATH} HTTP/1.1\r\nstripe-signature: t=1,v1=00\r\n`),
};

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
  return atInterval(SLOW_EVERY_MS, attacker.stopped, () => {
    if (open >= count) return;
    open++;
    begin(attacker, head, () => open--);
  });
}

function begin({ url, tally, stopped }: Attacker, head: string, ended: () => void): void {
  const { hostname, port, host } = new URL(url);
  const startedAt = performance.now();
  const socket = connect(Number(port), hostname);
  socket.write(`${head}host: ${host}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n{`);
  const drip = setInterval(() => socket.write(' '), DRIP_MS);
  const destroy = () => socket.destroy();
  stopped.addEventListener('abort', destroy);
  socket.once('data', (answer) => {
    const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(answer.toString()) ?? [];
    const [, error = ''] = /"error":"(\w+)"/.exec(answer.toString()) ?? [];
    tally.record(`${status} ${error}`.trim(), performance.now() - startedAt);
    socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(drip);
    stopped.removeEventListener('abort', destroy);
    ended();
  });
}

const FLOODED = 6;
const HOT = 4;
const MINTED_AT_ONCE = 64;
/** The interval, in milliseconds, in which the rate limit allows each API key one request. */
const HOT_EVERY_MS = 10;

/** Tries to exhaust the queue for checking secrets. The first use of every API key must wait in this queue. */
const wrongSecrets: Attack = {
  name: 'wrong secrets',
  sends: `wrong secrets for ${FLOODED} API keys, 100 a second for each`,
  async prepare({ tenant, stopped, send }) {
    const tokens = await inParallel(FLOODED, () => tenant.mint());
    const wrong = (token: string, n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');
    const list = (token: string) => send({ method: 'GET', path: '/v1/keys', token });
    return () => atInterval(HOT_EVERY_MS, stopped, (n) => tokens.map((token) => list(wrong(token, n))));
  },
};

/** Tries to exhaust the queue for hashing the secrets of new API keys. */
const minting: Attack = {
  name: 'minting',
  sends: `requests for new API keys, always ${MINTED_AT_ONCE} at a time`,
  async prepare({ tenant, stopped, send }) {
    const client = () => repeat(stopped, () => send(mintRequest(tenant.accessToken)));
    return () => inParallel(MINTED_AT_ONCE, client);
  },
};

/** Tries to exhaust processor time, and the commits that update the operation count of one key. */
const hotKey: Attack = {
  name: 'one hot key',
  sends: `encryption with one \`wrapped\` key, 100 requests a second with each of ${HOT} API keys`,
  async prepare({ tenant, url, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    const tokens = await inParallel(HOT, () => tenant.mint());
    const body = { plaintext: Buffer.alloc(1_024).toString('base64') };
    const encrypt = (token: string) => send({ method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body });
    return () => atInterval(HOT_EVERY_MS, stopped, () => tokens.map(encrypt));
  },
};

const LISTING_API_KEYS = 100;
const LISTED_KEYS = 100;
const BURST_MS = 250;

/** Tries to exhaust the concurrency limit of policy decisions: each API key needs its own call. */
const keyLists: Attack = {
  name: 'key lists',
  sends: `encryption with ${LISTING_API_KEYS} API keys, each restricted to ${LISTED_KEYS} keys: all send a request at once, four times a second`,
  async prepare({ tenant, url, firestore, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    const copies = await copyDocument(firestore, {
      from: 'keys',
      where: ['id', key],
      fields: ['id'],
      copies: LISTED_KEYS - 1,
    });
    const tokens: string[] = [];
    for (let n = 0; n < LISTING_API_KEYS; n += 10) {
      tokens.push(...(await inParallel(10, () => tenant.mint({ key_ids: [key, ...copies] }))));
    }
    const body = { plaintext: Buffer.alloc(32).toString('base64') };
    const encrypt = (token: string) => send({ method: 'POST', path: `/v1/keys/${key}/encrypt`, token, body });
    return () => atInterval(BURST_MS, stopped, () => tokens.map(encrypt));
  },
};

const LARGE_LIST_KEYS = 10_000;
const LARGE_LISTS_AT_ONCE = 4;

/** Tries to exhaust processor time and Firestore reads. */
const largeLists: Attack = {
  name: 'large lists',
  sends: `reads of the keys, usage, statement and audit log of a tenant with ${LARGE_LIST_KEYS.toLocaleString('en')} keys, always ${LARGE_LISTS_AT_ONCE} of each at a time`,
  async prepare({ tenant, url, firestore, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    await copyDocument(firestore, { from: 'keys', where: ['id', key], fields: ['id'], copies: LARGE_LIST_KEYS - 1 });
    const get = (path: string, token: string) => ({ method: 'GET', path, token });
    const reads = [
      get('/v1/keys', tenant.apiKey),
      get('/v1/usage', tenant.apiKey),
      get('/v1/billing/statement', tenant.accessToken),
      get('/v1/audit?limit=1000', tenant.accessToken),
    ];
    const client = (read: (typeof reads)[number]) => repeat(stopped, () => send(read));
    return () => Promise.all(reads.map((read) => inParallel(LARGE_LISTS_AT_ONCE, () => client(read))));
  },
};

const ROWS = 1_000;
const API_KEYS = 1_000;
const LISTED = 100;
const FIREWALLS = 1_000;
const NETWORKS = 64;
/** The interval, in milliseconds, in which the rate limit allows each API key or user one request. */
const PAGE_EVERY_MS = 10;

const created = z.object({ id: z.string() });

/** Tries to exhaust memory, processor time and Firestore reads. */
const auditPages: Attack = {
  name: 'audit pages',
  sends: `reads of ${ROWS.toLocaleString('en')} audit rows with an API key that has no action, 100 a second`,
  async prepare({ tenant, url, firestore, stopped, send }) {
    const key = await tenant.createKey(url, 'wrapped');
    await copyDocument(firestore, { from: 'audit', where: ['key_id', key], fields: ['request_id'], copies: ROWS });
    const token = await tenant.mint({ allowed_actions: [] });
    const page = { method: 'GET', path: `/v1/keys/${key}/audit?limit=${ROWS}`, token };
    return () => atInterval(PAGE_EVERY_MS, stopped, () => send(page));
  },
};

/** Tries to exhaust memory, processor time and Firestore reads with the largest lists of the console. */
const consoleLists: Attack = {
  name: 'console lists',
  sends: `reads of a list of ${API_KEYS.toLocaleString('en')} API keys with ${LISTED} keys each and of a list of ${FIREWALLS.toLocaleString('en')} firewalls with ${NETWORKS} networks each, 50 a second of each list`,
  async prepare(attacker) {
    const { tenant, stopped, send } = attacker;
    const lists = await fillLists(attacker);
    return () =>
      atInterval(PAGE_EVERY_MS, stopped, (n) =>
        send({ method: 'GET', path: lists[n % lists.length] ?? '', token: tenant.accessToken }),
      );
  },
};

/** Makes the service keep unread answers in its memory. */
const unreadAnswers: Attack = {
  name: 'unread answers',
  sends: 'the same requests as `console lists`, but the attacker never reads the answers',
  async prepare(attacker) {
    const lists = await fillLists(attacker);
    return () => atInterval(PAGE_EVERY_MS, attacker.stopped, (n) => neverRead(attacker, lists[n % lists.length] ?? ''));
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

/** Tries to exhaust the dependencies with readiness checks. */
const readiness: Attack = {
  name: 'readiness',
  sends: '`GET /health/ready` without a credential, 50 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(20, stopped, () => send({ method: 'GET', path: '/health/ready' })),
};

/** Tries to overload Firestore with reads. */
const unknownApiKeys: Attack = {
  name: 'unknown API keys',
  sends: 'requests with unknown API keys, 300 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(10, stopped, () => [1, 2, 3].map(() => send({ method: 'GET', path: '/v1/keys', token: unknown() }))),
};

/** Tries to use up the processor time. */
const openApiDocument: Attack = {
  name: 'OpenAPI document',
  sends: '`GET /v1/openapi.json` without a credential, 200 a second',
  prepare:
    async ({ stopped, send }) =>
    () =>
      atInterval(5, stopped, () => send({ method: 'GET', path: '/v1/openapi.json' })),
};

function unknown(): string {
  return viewToken({ apiKeyId: makeId(), secret: makeSecret() });
}

const TOKENS = 60;
const TOKEN_EVERY_MS = 10;
const RATES = '300 a second, and 20 requests a second of its workload';

/** Tries to use up processor time and reads of Firestore. Everybody can get signed ID tokens of a public issuer. */
const strangers: Attack = {
  name: 'ID tokens of strangers',
  sends: `well-signed ID tokens for one API key that match none of its federations, ${RATES}`,
  prepare: async (attacker) => {
    const { id, idToken } = await attacker.tenant.federate();
    const tokens = await inParallel(TOKENS, (n) => attacker.tenant.idToken(id, `stranger ${n}`));
    return () => flood(attacker, idToken, (n) => tokens[n % TOKENS]);
  },
};

/** Tries to make the service read the issuer's keys again and again. */
const unknownKids: Attack = {
  name: 'unknown keys of an issuer',
  sends: `ID tokens for one API key with names of keys that the issuer does not have, ${RATES}`,
  prepare: async (attacker) => {
    const { idToken } = await attacker.tenant.federate();
    const [, ...signed] = idToken.split('.');
    const header = (n: number) => JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: `unknown ${n}` });
    return () => flood(attacker, idToken, (n) => [Buffer.from(header(n)).toString('base64url'), ...signed].join('.'));
  },
};

/** Tries to keep the workload of an API key from using it. */
const wrongSecretsOfOne: Attack = {
  name: 'wrong secrets of one API key',
  sends: 'wrong secrets for one API key, 100 a second, and 20 requests a second of its workload',
  async prepare(attacker) {
    const { token, idToken } = await attacker.tenant.federate();
    const wrong = (n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');
    return () => attackBeside(attacker, idToken, (n) => attacker.send(caller(wrong(n))));
  },
};

function flood(attacker: Attacker, idToken: string, token: (n: number) => string | undefined): Promise<unknown> {
  return attackBeside(attacker, idToken, (n) =>
    [0, 1, 2].map((one) => attacker.send(caller(token(3 * n + one) ?? ''))),
  );
}

/** Attacks 100 times a second, while the workload sends 20 requests a second. */
function attackBeside(attacker: Attacker, idToken: string, attack: (n: number) => unknown): Promise<unknown> {
  return atInterval(TOKEN_EVERY_MS, attacker.stopped, (n) => {
    if (n % 5 === 0) void attacker.sendAsVictim(caller(idToken));
    return attack(n);
  });
}

const caller = (token: string) => ({ method: 'GET', path: '/v1/caller', token });

/** All attacks, in the order in which `npm run drill -- fairness` makes them. */
export const ATTACKS: readonly Attack[] = [
  rotationsOfOneKey,
  rotationsOfManyKeys,
  writesOfTheKms,
  changesOfAccomplices,
  garbageOfTwoTenants,
  slowBodies,
  slowBodiesOfMany,
  wrongSecrets,
  minting,
  hotKey,
  keyLists,
  slowWebhooks,
  readiness,
  unknownApiKeys,
  openApiDocument,
  strangers,
  unknownKids,
  wrongSecretsOfOne,
  auditPages,
  consoleLists,
  unreadAnswers,
  // This attack is the last one, because its keys stay in the emulator and would slow down later attacks.
  largeLists,
];
