import { randomBytes, randomUUID } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Stack } from '../../../emulators/stack/stack.ts';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { type Cases, fillPath, methodOf, readCases, pathOf as routeOf } from '../../support/cases.ts';
import { type Addresses, type Answer, type Extras, send } from '../../support/client.ts';
import { documentsOf } from '../../support/firestore.ts';
import { unwrapStored } from '../../support/kms.ts';
import { rotate } from '../../support/operations.ts';
import { sendBytes, sendRaw } from '../../support/raw.ts';
import { mendStack, setFaults } from '../../support/steer.ts';
import { Client, makeFirewall, makeTenant, signIn, type Tenant, type Tier } from '../../support/tenant.ts';

type Contents = ReadonlyMap<string, Buffer>;

/* Sends known random secrets to a persistent stack in all kinds of requests, then searches all that it keeps. */
const dir = mkdtempSync(join(tmpdir(), 'canary-'));
const FLAVOUR = { billing: true, console: true, wrappedRoot: true, transit: true, shortDeadlines: true };
const marker = `marker-${randomUUID()}`;
const OPERATIONS = ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'] as const;
const pathOf = (key: string, operation: string) => `/v1/keys/${key}/${operation}`;
const requestId = `canary:${randomUUID()}`;
const secrets = new Map<string, Buffer>();
/** The headers and bodies of all refusals, by a description of the refusal. */
const refusals = new Map<string, Buffer>();
const statuses = new Set<number>();
/** The ids and versions of the stored data keys that are already among the secrets. */
const unwrapped = new Set<string>();
/** The last ciphertext that `operate` made with each key, and its aad. */
const sealedBy = new Map<string, { readonly ciphertext: string; readonly aad: string }>();
let running: Stack | undefined;
let stack: Addresses;
let tenant: Tenant;
/** Valid credentials, and credentials that are each refused for a different reason. */
let clients: readonly Client[];
let documents: Contents;
let files: Contents;

beforeAll(async () => {
  running = await startStack({ ...FLAVOUR, port: 22_480, dir });
  stack = { baseUrl: running.overview.base_url, controlUrl: running.controlUrl };
  tenant = await makeTenant(stack);
  clients = await makeClients();
  for (const { token = '' } of clients) keepToken(token);
  const keys = await Promise.all((['free', 'wrapped', 'software', 'hsm'] as const).map((tier) => makeKey(tier)));
  const pending = await makeKey('wrapped', marker);
  const anyId = randomUUID();

  await Promise.all([anyId, ...keys, pending].map((key) => operateWithAll(key)));
  const invalid = OPERATIONS.flatMap((operation) =>
    invalidBodies(makeSecret('plaintext', 48)).map((extras) =>
      ask(tenant.api, 'POST', pathOf(pending, operation), extras),
    ),
  );
  await Promise.all(invalid);
  await tenant.api.send('DELETE', `/v1/keys/${pending}`);
  await operateWithAll(pending);
  await Promise.all(keys.map((key) => rotate(tenant.api, key)));
  await Promise.all(keys.map((key) => operate(tenant.api, key)));
  await misplaceTokens();
  for (const fault of ['kms', 'pdp', 'idp', 'stripe', 'firestore', 'audit_rows'] as const) {
    const fresh = fault === 'firestore' ? [] : [await makeKey('wrapped')];
    await setFaults(stack, { [fault]: 'down' });
    await Promise.all([operateOnUsed([...keys, ...fresh]), useConsole()]);
    await mendStack(stack);
  }
  for (const cases of await readCases()) await sendRefused(cases);
  record(await tenant.api.send('PUT', '/v1/keys'));
  await addDataKeys();

  documents = await documentsOf(stack);
  await running.stop();
  files = filesOf(dir);
});

afterAll(async () => {
  await running?.stop();
  rmSync(dir, { recursive: true });
});

test('the requests with secrets get every kind of answer and use every kind of secret', () => {
  expect([...statuses].sort()).toEqual([200, 201, 204, 400, 401, 402, 403, 404, 405, 409, 413, 415, 429, 500, 503]);
  const kinds = new Set([...secrets.keys()].map((name) => name.replace(/ \d+$/, '')));
  expect([...kinds].sort()).toEqual(
    ['aad', 'api key secret', 'api key token', 'console token', 'data key', 'dek', 'made dek', 'plaintext'].sort(),
  );
});

test('the search finds text that is known to be stored, a key name and a request id, in the documents and files', () => {
  const names = new Map([['the name', Buffer.from(marker)]]);
  expect(leaks(names, documents)).toEqual([expect.stringMatching(/^the name in keys\//)]);
  expect(leaks(names, files)).toEqual([expect.stringMatching(/^the name in firestore\//)]);
  const requests = new Map([['the request', Buffer.from(requestId)]]);
  expect(leaks(requests, files)).toContain('the request in service.log');
  expect([...files.keys()]).toEqual(expect.arrayContaining(['service.log', 'cerbos.log', 'kms.json', 'stripe.json']));
});

test.each(['raw', 'hex', 'base64', 'base64url', 'within longer base64'])(
  'the search finds a secret in this form: %s',
  (how) => {
    const secret = randomBytes(32);
    const spelled = {
      raw: Buffer.concat([Buffer.of(1), secret]),
      hex: Buffer.from(`x${secret.toString('hex')}`),
      base64: Buffer.from(secret.toString('base64')),
      base64url: Buffer.from(secret.toString('base64url')),
      'within longer base64': Buffer.from(Buffer.concat([Buffer.of(7), secret, Buffer.of(7)]).toString('base64')),
    }[how];
    expect(leaks(new Map([['it', secret]]), new Map([['there', spelled ?? Buffer.alloc(0)]]))).toEqual(['it in there']);
  },
);

test('the search finds a secret that is split by a block boundary of an export', () => {
  const secret = randomBytes(32);
  const log = Buffer.concat([Buffer.alloc(32_758), secret.subarray(0, 10), Buffer.alloc(7), secret.subarray(10)]);
  mkdirSync(join(dir, 'split'));
  writeFileSync(join(dir, 'split', 'output-0'), log);
  expect(leaks(new Map([['it', secret]]), filesOf(dir))).toEqual(['it in split/output-0']);
});

test('no document in the store contains a secret, token, plaintext, aad or data key', () => {
  expect(leaks(secrets, documents)).toEqual([]);
});

test('no log or other file that the stack keeps contains a secret', () => {
  expect(leaks(secrets, files)).toEqual([]);
});

test('no refusal contains a secret in its headers or its body', () => {
  expect(refusals.size).toBeGreaterThan(200);
  expect(leaks(secrets, refusals)).toEqual([]);
});

async function makeClients(): Promise<Client[]> {
  const { api, console, mint, subject } = tenant;
  const listed = await mint({ key_ids: [await tenant.createKey('wrapped')] });
  const revoked = await mint();
  await console.send('DELETE', `/v1/api-keys/${revoked.id}`);
  const forged = `${api.token?.slice(0, -43)}${randomBytes(32).toString('base64url')}`;
  const unknown = `esk_${'a'.repeat(26)}_${randomBytes(32).toString('base64url')}`;
  return [
    api,
    console,
    listed.client,
    revoked.client,
    (await mint({ firewall_id: await makeFirewall(tenant) })).client,
    (await mint({ allowed_actions: [] })).client,
    (await makeTenant(stack, 'none')).api,
    new Client(stack, forged),
    new Client(stack, unknown),
    await signIn(stack, subject, { expires_in: -60 }),
    await signIn(stack, subject, { signed_by: 'stranger' }),
    await signIn(stack, randomUUID()),
  ];
}

async function makeKey(tier: Tier, name?: string): Promise<string> {
  const id = await tenant.createKey(tier, name);
  await addDataKeys();
  return id;
}

/** Unwraps every stored data key with the stack's KMS, and adds it to the secrets. */
async function addDataKeys(): Promise<void> {
  for (const [path, content] of await documentsOf(stack, 'keys')) {
    const { tenant_id, versions } = keyDocument.parse(JSON.parse(content.toString())).fields;
    const keyId = path.replace('keys/', '');
    for (const { version, material } of versions.arrayValue.values) {
      const [wrapped, number] = [material.wrapped?.bytesValue, version.integerValue];
      if (wrapped === undefined || unwrapped.has(`${keyId} ${number}`)) continue;
      unwrapped.add(`${keyId} ${number}`);
      // The KMS has wrapped the data key for this tenant, key and version.
      const bound = `${tenant_id.stringValue}${keyId}`.replaceAll('-', '') + number.toString(16).padStart(8, '0');
      keep('data key', await unwrapStored(stack, Buffer.from(wrapped, 'base64'), Buffer.from(bound, 'hex')));
    }
  }
}

const operateWithAll = (key: string) => Promise.all(clients.map((client) => operate(client, key)));

/** Performs the five operations with new secrets, one after another. */
async function operate(client: Client, key: string): Promise<void> {
  const [plaintext, aad, dek] = [makeSecret('plaintext', 48), makeSecret('aad', 40), makeSecret('dek', 32)];
  const perform = (operation: string, body: unknown) => ask(client, 'POST', pathOf(key, operation), { body });
  const sealed = await perform('encrypt', { plaintext, aad });
  const ciphertext = String(Object(sealed.body).ciphertext ?? makeSecret('plaintext', 90));
  await perform('decrypt', { ciphertext, aad });
  await perform('decrypt', { ciphertext, aad: makeSecret('aad', 40) });
  await perform('rewrap', { ciphertext, aad });
  const wrapping = await perform('wrap', { dek, aad });
  await perform('unwrap', { wrapped: Object(wrapping.body).wrapped ?? makeSecret('dek', 90), aad });
  const made = Object((await perform('wrap', { aad })).body).dek;
  if (typeof made === 'string') keep('made dek', Buffer.from(made, 'base64'));
  sealedBy.set(key, { ciphertext, aad });
}

/** Performs operations at once on keys that `operate` has used. During a fault, each may last until a deadline. */
async function operateOnUsed(keys: readonly string[]): Promise<void> {
  const requests = keys.flatMap((key) => {
    const { ciphertext, aad } = sealedBy.get(key) ?? {};
    const secret = { plaintext: makeSecret('plaintext', 48), dek: makeSecret('dek', 32), aad: makeSecret('aad', 40) };
    const bodies = { encrypt: secret, wrap: secret, decrypt: { ciphertext, aad }, rewrap: { ciphertext, aad } };
    return Object.entries(bodies).map(([operation, body]) => ask(tenant.api, 'POST', pathOf(key, operation), { body }));
  });
  await Promise.all(requests);
}

/** Sends tokens in the wrong places: paths, queries, other headers, bodies of other routes, and malformed HTTP. */
async function misplaceTokens(): Promise<void> {
  const { api, console } = tenant;
  const token = api.token ?? '';
  for (const client of [api, console, new Client(stack, undefined)]) {
    for (const [method, path, extras] of requestsWithMisplaced(token)) await ask(client, method, path, extras);
  }
  const lines = [`authorization: Bearer ${token}`];
  record(await sendRaw(stack, 'PUT /v1/keys', lines, token));
  record(await sendBytes(stack, [`GET /v1/keys HTTP/1.1`, ...lines, 'content-length: x', '', token]));
  record(await sendBytes(stack, [`${token} / HTTP/1.1`, ...lines, '', '']));
  record(await sendRaw(stack, `CONNECT ${token}:443`, lines));
}

async function sendRefused({ call, credential, request, refuses = [] }: Cases): Promise<void> {
  const own = await makeTenant(stack);
  const { api, console } = own;
  const caller = { none: new Client(stack, undefined), api_key: api, either: api, console, newcomer: console };
  const good = await request(own, 'wrapped');
  for (const [, change] of refuses) {
    const changed = typeof change === 'function' ? await change(own) : change;
    const { as = caller[credential], id = good.id ?? '', query = '', extras } = changed;
    const body = good.body || changed.body ? { body: { ...Object(good.body), ...changed.body } } : {};
    await ask(as, methodOf(call), `${fillPath(routeOf(call), id)}${query}`, extras ?? body);
  }
}

async function useConsole(): Promise<void> {
  const { console, subject } = tenant;
  const other = await signIn(stack, subject);
  keepToken(other.token ?? '');
  const named = (more: object) => ({ body: { name: randomUUID(), ...more } });
  const [minted] = await Promise.all([
    ask(console, 'POST', '/v1/api-keys', named({})),
    ask(console, 'POST', '/v1/keys', named({ tier: 'software' })),
    ask(console, 'POST', '/v1/billing/portal'),
    ...['/v1/me', '/v1/keys', '/v1/billing', '/v1/billing/statement'].map((path) => ask(other, 'GET', path)),
  ]);
  const token = Object(minted.body).token;
  if (typeof token === 'string') keepToken(token);
  await ask(console, 'DELETE', `/v1/api-keys/${Object(minted.body).id}`);
}

/** Records the status of an answer, and the whole answer if it is a refusal. */
function record({ status, headers, body }: Answer): void {
  statuses.add(status);
  if (status < 400) return;
  refusals.set(`refusal ${refusals.size}: ${status}`, Buffer.from(JSON.stringify([[...headers], body])));
}

async function ask(client: Client, method: string, path: string, extras: Extras = {}): Promise<Answer> {
  const headers = { 'x-request-id': requestId, ...extras.headers };
  const url = `${stack.baseUrl}${path}`;
  const answer = await send(method, url, { token: client.token, ...extras, headers });
  record(answer);
  return answer;
}

function makeSecret(kind: string, bytes: number): string {
  const secret = randomBytes(bytes);
  keep(kind, secret);
  return secret.toString('base64');
}

function keepToken(token: string): void {
  if (token.startsWith('esk_')) {
    keep('api key token', Buffer.from(token));
    keep('api key secret', Buffer.from(token.slice(-43)));
    keep('api key secret', Buffer.from(token.slice(-43), 'base64url'));
  } else {
    keep('console token', Buffer.from(token.split('.')[2] ?? ''));
  }
}

function keep(kind: string, secret: Buffer): void {
  secrets.set(`${kind} ${secrets.size}`, secret);
}

const JSON_TYPE = { 'content-type': 'application/json' };

function invalidBodies(secret: string): Extras[] {
  return [
    { raw: `{"plaintext":"${secret}`, headers: JSON_TYPE },
    { raw: `{"plaintext":"${secret}"}`, headers: { 'content-type': 'text/plain' } },
    { raw: `{"plaintext":"${secret}"}\u{0}`, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    {
      body: {
        plaintext: [secret],
        ciphertext: { [secret]: 1 },
        wrapped: 7,
        dek: [secret],
        aad: { [secret]: secret },
      },
    },
    { body: [secret] },
    { body: secret },
    {
      body: Object.fromEntries(
        ['plaintext', 'ciphertext', 'wrapped', 'dek', 'aad'].map((name) => [name, `${secret}!`]),
      ),
    },
    { body: { plaintext: secret.repeat(2_000), aad: secret } },
    { body: { plaintext: '', dek: secret, ciphertext: secret, wrapped: secret, aad: secret } },
  ];
}

/** Returns requests with the token in the wrong place: a path, a query, the wrong header or the wrong field. */
function requestsWithMisplaced(token: string): (readonly [method: string, path: string, extras: Extras])[] {
  return [
    ['GET', `/v1/keys?access_token=${token}&access_token=${token}`, {}],
    ['GET', `/v1/usage?period=${token}`, {}],
    ['GET', `/v1/usage/daily?key_id=${token}`, {}],
    ['GET', `/v1/audit?cursor=${token}`, {}],
    ['GET', `/v1/audit?limit=${token}&since=${token}`, {}],
    ['GET', `/v1/keys/${token}`, {}],
    ['GET', `/${token}`, {}],
    ['GET', `/v1/transit/keys/${token}?context=${token}`, {}],
    ['GET', `/v1/transit/keys?list=${token}`, { headers: { 'x-vault-token': `${token}!` } }],
    ['PUT', `/v1/transit/decrypt/${token}`, { body: { ciphertext: token, associated_data: token, nonce: [token] } }],
    ['POST', `/v1/transit/encrypt/${token}`, { body: { batch_input: [{ plaintext: token }, token] } }],
    ['GET', '/v1/keys', { headers: { cookie: token, 'x-request-id': `"${token}"` } }],
    ['POST', '/v1/keys', { body: { name: [token], tier: token, container_id: token } }],
    ['POST', '/v1/api-keys', { body: { name: { [token]: 1 }, allowed_actions: [token] } }],
    ['POST', '/v1/firewalls', { body: { name: '', allowed_ips: [token] } }],
    ['POST', '/v1/webhooks/stripe', { raw: token, headers: { 'stripe-signature': token } }],
  ];
}

/** Returns the schema of a map in Firestore's REST format, whose fields have the schemas in `shape`. */
const map = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object({ mapValue: z.object({ fields: z.object(shape) }) }).transform(({ mapValue }) => mapValue.fields);

const material = map({ wrapped: z.object({ bytesValue: z.base64().optional() }).optional() });
const version = map({ version: z.object({ integerValue: z.coerce.number() }), material });
const keyDocument = z.object({
  fields: z.object({
    tenant_id: z.object({ stringValue: z.string() }),
    versions: z.object({ arrayValue: z.object({ values: z.array(version).default([]) }) }),
  }),
});

/** Returns `NAME in PLACE` for each secret that a place contains in any encoding. */
function leaks(secrets: Contents, places: Contents): string[] {
  return [...secrets].flatMap(([name, bytes]) => {
    const needles = encodings(bytes);
    return [...places].flatMap(([place, content]) =>
      needles.some((needle) => content.includes(needle)) ? `${name} in ${place}` : [],
    );
  });
}

/** Returns the bytes raw, in hexadecimal, as a JSON list, and in base64 at each possible offset in a longer text. */
function encodings(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Leaves out base64 digits at either end that also contain bits of neighboring bytes.
    const own = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(own), own.replaceAll('/', '\\/')];
  });
  return [bytes, ...[hex, hex.toUpperCase(), bytes.join(','), ...base64].map((text) => Buffer.from(text))];
}

/** A Firestore export is a LevelDB log (leveldb, doc/log_format.md): blocks of this length, which includes a header. */
const BLOCK_LENGTH = 32_768;
const BLOCK_HEADER_LENGTH = 7;

/** Returns all files below a directory; those of exports once unchanged and once more without block headers. */
function filesOf(dir: string): Contents {
  const files = globSync('**', { cwd: dir }).filter((name) => statSync(join(dir, name)).isFile());
  return new Map(
    files.map((name) => {
      const content = readFileSync(join(dir, name));
      // A block header can fall into the middle of a value, so the search also needs the content without headers.
      return [name, name.includes('/output-') ? Buffer.concat([content, withoutBlockHeaders(content)]) : content];
    }),
  );
}

function withoutBlockHeaders(log: Buffer): Buffer {
  const blocks = Array.from({ length: Math.ceil(log.length / BLOCK_LENGTH) }, (_, block) =>
    log.subarray(block * BLOCK_LENGTH + BLOCK_HEADER_LENGTH, (block + 1) * BLOCK_LENGTH),
  );
  return Buffer.concat(blocks);
}
