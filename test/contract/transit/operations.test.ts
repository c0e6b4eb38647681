import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { beforeAll, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { fillPath, methodOf, pathOf } from '../../support/cases.ts';
import { type Answer, outcome, send, text } from '../../support/client.ts';
import { setCount } from '../../support/counts.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ROUTES } from '../../support/route-table.ts';
import { ALL_ACTIONS, type Client, makeContainer, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { dataOf, textOf, transit } from '../../support/transit.ts';
import { reachCap } from '../../support/usage.ts';

const stack = inject('stack');
const VALUE = randomBase64(100);
const AAD = randomBase64(20);

type NamedKey = Awaited<ReturnType<typeof namedKey>>;
let tenant: Tenant;
let api: Client;
let key: NamedKey;
let software: NamedKey;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  ({ api } = tenant);
  key = await namedKey('wrapped');
  software = await namedKey('software');
});

async function namedKey(tier: Tier) {
  const name: string = randomUUID();
  return { name, id: await tenant.createKey(tier, name) };
}

const seal = (body: unknown, { name } = key) => transit(api, `PUT /encrypt/${name}`, body);
const open = (body: unknown, { name } = key) => transit(api, `PUT /decrypt/${name}`, body);
const warningsOf = ({ body }: Answer): unknown => Object(body).warnings;
const errorsOf = ({ body }: Answer) => String(Object(body).errors);

test('an encrypted value can be decrypted, and so can its rewrapped ciphertext', async () => {
  const made = await seal({ plaintext: VALUE, associated_data: AAD });
  const ciphertext = expect.stringMatching(/^vault:v1:[A-Za-z0-9+/]+=*$/);
  expect([made.status, dataOf(made)]).toEqual([200, { ciphertext, key_version: 1 }]);
  const sealed = { ciphertext: textOf(made, 'ciphertext'), associated_data: AAD };
  const rewrapped = await transit(api, `PUT /rewrap/${key.name}`, sealed);
  expect(dataOf(rewrapped)).toEqual({ ciphertext, key_version: 1 });
  for (const each of [sealed.ciphertext, textOf(rewrapped, 'ciphertext')]) {
    const opened = await open({ ciphertext: each, associated_data: AAD });
    expect([opened.status, dataOf(opened)]).toEqual([200, { plaintext: VALUE }]);
  }
});

test.each([
  [undefined, 32],
  [256, 32],
  [128, 16],
  ['128', 16],
])(
  'datakey/plaintext returns a data key in plaintext and wrapped, and datakey/wrapped returns it only wrapped (bits: %s)',
  async (bits, bytes) => {
    const { plaintext, ciphertext } = dataOf(await transit(api, `PUT /datakey/plaintext/${key.name}`, { bits }));
    expect(Buffer.from(String(plaintext), 'base64')).toHaveLength(bytes);
    expect(dataOf(await open({ ciphertext }))).toEqual({ plaintext });
    const wrapped = dataOf(await transit(api, `PUT /datakey/wrapped/${key.name}`, { bits }));
    expect(Object.keys(wrapped).sort()).toEqual(['ciphertext', 'key_version']);
    // The request contains all fields of the answer, including `key_version`.
    expect(Buffer.from(textOf(await open(wrapped), 'plaintext'), 'base64')).toHaveLength(bytes);
  },
);

test('a key is created with the software tier unless the request names a tier', async () => {
  const name = `new ${randomUUID()}/é%`;
  const path = `/keys/${encodeURIComponent(name)}`;
  const made = await transit(api, `PUT ${path}`, { type: 'aes256-gcm96', name: 'another' });
  expect(made.status).toBe(200);
  expect(dataOf(made)).toMatchObject({ name, tier: 'software', type: 'aes256-gcm96', latest_version: 1 });
  expect(dataOf(await transit(api, `GET ${path}`))).toEqual(dataOf(made));
  expect(dataOf(await transit(api, `PUT /keys/${randomUUID()}`, { tier: 'wrapped' }))).toMatchObject({
    tier: 'wrapped',
  });
});

test.each([{}, { tier: 'wrapped' }, { type: 'aes256-gcm96' }])(
  'creating an active key again with %j answers 200 with a warning and the key, and records nothing',
  async (body) => {
    const { name, id } = await namedKey('wrapped');
    const answer = await transit(api, `POST /keys/${name}`, body);
    expect([answer.status, warningsOf(answer)]).toEqual([200, [`key ${name} already existed`]]);
    expect(dataOf(answer)).toEqual(dataOf(await transit(api, `GET /keys/${name}`)));
    expect(inWords(await eventsOfKey(api, id))).toEqual(['create_key']);
  },
);

test('creating a key again answers 200 also when billing has lapsed and the tenant has as many keys as it may have', async () => {
  const lapsed = await makeTenant(stack);
  await lapsed.createKey('wrapped', 'one');
  await setSubscription(stack, lapsed.id, 'canceled');
  await setCount(stack, lapsed.id, 'keys', 10_000);
  expect((await transit(lapsed.api, 'POST /keys/one')).status).toBe(200);
  expect((await transit(lapsed.api, 'POST /keys/two')).status).toBe(402);
});

test('creating a key again with another tier, or while it is pending deletion, gets 409 key_exists', async () => {
  const { name, id } = await namedKey('wrapped');
  expectRefusal(await transit(api, `POST /keys/${name}`, { tier: 'software' }), '409 key_exists');
  await api.send('DELETE', `/v1/keys/${id}`);
  for (const body of [{}, { tier: 'wrapped' }]) {
    expectRefusal(await transit(api, `POST /keys/${name}`, body), '409 key_exists');
  }
});

test('after a rotation, encrypt and rewrap use the new version, and earlier ciphertext can still be decrypted', async () => {
  const own = await namedKey('software');
  const before = textOf(await seal({ plaintext: VALUE }, own), 'ciphertext');
  const rotated = await transit(api, `PUT /keys/${own.name}/rotate`);
  expect(dataOf(rotated)).toMatchObject({ latest_version: 2, min_decryption_version: 1 });
  expect(Object.keys(Object(dataOf(rotated).keys))).toEqual(['1', '2']);
  const ciphertext = expect.stringMatching(/^vault:v2:/);
  expect(dataOf(await seal({ plaintext: VALUE }, own))).toEqual({ ciphertext, key_version: 2 });
  const rewrapped = textOf(await transit(api, `PUT /rewrap/${own.name}`, { ciphertext: before }), 'ciphertext');
  expect(rewrapped).toEqual(ciphertext);
  for (const each of [before, rewrapped]) {
    expect(dataOf(await open({ ciphertext: each }, own))).toEqual({ plaintext: VALUE });
  }
  expect(inWords(await eventsOfKey(api, own.id))).toContain('rotate_key');
});

test.each(['free', 'wrapped'] as const)(
  'rotating a %s key, which would lose data, is refused with 400 and the reason',
  async (tier) => {
    const { name, id } = await namedKey(tier);
    const answer = await transit(api, `PUT /keys/${name}/rotate`);
    expectRefusal(answer, '400 invalid_request');
    expect(errorsOf(answer)).toContain(`a ${tier} key keeps only one version`);
    expect((await api.send('GET', `/v1/keys/${id}`)).body).toMatchObject({ primary_version: 1 });
    expect(inWords(await eventsOfKey(api, id))).toEqual(['create_key', 'rotate_key invalid_request']);
  },
);

test('a Transit ciphertext contains the native ciphertext, and native and Transit routes decrypt each other’s ciphertext', async () => {
  const ciphertext = textOf(await seal({ plaintext: VALUE }), 'ciphertext').replace('vault:v1:', '');
  expect((await operate(api, key.id, 'decrypt', { ciphertext })).body).toEqual({ plaintext: VALUE });
  const native = await encrypt(api, key.id, VALUE, AAD);
  const opened = await open({ ciphertext: `vault:v1:${native}`, associated_data: AAD });
  expect(dataOf(opened)).toEqual({ plaintext: VALUE });
});

test.each(['1', '7', '007', '4294967296', '99999999999999999999'])(
  'a Transit ciphertext is accepted with any positive version number: %s',
  async (version) => {
    const ciphertext = `vault:v${version}:${await encrypt(api, software.id, VALUE)}`;
    expect(dataOf(await open({ ciphertext }, software))).toEqual({ plaintext: VALUE });
  },
);

test.each([
  ...['', 'vault:v0:', 'vault:v-1:', 'vault:1:', 'Vault:v1:', 'vault:v:', 'vault:v1', '\nvault:v1:', 'vault:v\n1:'],
])('a ciphertext with a malformed prefix is refused with 400 invalid_ciphertext: %j', async (prefix) => {
  const native = await encrypt(api, key.id, VALUE);
  for (const ciphertext of [prefix, prefix + native]) {
    expectRefusal(await open({ ciphertext }), '400 invalid_ciphertext');
    expectRefusal(await transit(api, `POST /rewrap/${key.name}`, { ciphertext }), '400 invalid_ciphertext');
  }
});

test.each([
  [{ ciphertext: 'vault:v1:A' }, '400 invalid_base64', 'ciphertext'],
  [{ ciphertext: 'vault:v1:AAAA ' }, '400 invalid_base64', 'ciphertext'],
  [{ ciphertext: 'vault:v1:AAAA', associated_data: 'A' }, '400 invalid_base64', 'associated_data'],
  [{ ciphertext: 'vault:v1:AAAA' }, '400 invalid_ciphertext', 'cannot be decrypted'],
])(
  'an invalid Transit ciphertext is refused with the native error code, and the message uses Transit’s field names: %j',
  async (body, refusal, said) => {
    const answer = await open(body);
    expectRefusal(answer, refusal);
    expect(errorsOf(answer)).toContain(said);
  },
);

test.each(['\n', '\r\n', '\r'])(
  'line breaks %j, which the program `base64` and PEM files have, are skipped in plaintext, associated_data and ciphertext, but not by native routes',
  async (lineBreak) => {
    const inLines = (base64: string) => `${base64.replace(/.{20}/g, (line) => `${line}${lineBreak}`)}${lineBreak}`;
    const [plaintext, associated_data] = [inLines(VALUE), inLines(AAD)];
    const made = textOf(await seal({ plaintext, associated_data }), 'ciphertext');
    const ciphertext = `vault:v1:${inLines(made.replace('vault:v1:', ''))}`;
    expect(dataOf(await open({ ciphertext, associated_data }))).toEqual({ plaintext: VALUE });
    const rewrapped = await transit(api, `POST /rewrap/${key.name}`, { ciphertext, associated_data });
    expect(rewrapped.status).toBe(200);
    const dataKey = dataOf(await transit(api, `POST /datakey/plaintext/${key.name}`, { associated_data }));
    const opened = await open({ ciphertext: dataKey.ciphertext, associated_data: AAD });
    expect(dataOf(opened)).toEqual({ plaintext: dataKey.plaintext });
    expectRefusal(await operate(api, key.id, 'encrypt', { plaintext }), '400 invalid_base64');
    expectRefusal(await seal({ plaintext: `${VALUE}\t` }), '400 invalid_base64');
  },
);

test.each(['two words', 'a/b', 'ä€😀', '100%', '+', '~!$&()*,;=:@', 'keys', 'rotate', '__proto__', 'a'.repeat(128)])(
  'a percent-encoded key name in a Transit path is decoded: %j',
  async (name) => {
    const id = await tenant.createKey('wrapped', name);
    expect(dataOf(await transit(api, `GET /keys/${encodeURIComponent(name)}`))).toMatchObject({ id, name });
    expect((await seal({ plaintext: VALUE }, { id, name: encodeURIComponent(name) })).status).toBe(200);
  },
);

test('after a name moves to another key, the next request with the name uses the other key', async () => {
  const first = await namedKey('wrapped');
  const ciphertext = textOf(await seal({ plaintext: VALUE }, first), 'ciphertext');
  const former = { ...first, name: randomUUID() };
  await api.send('PATCH', `/v1/keys/${first.id}`, { name: former.name });
  expectRefusal(await open({ ciphertext }, first), '404 not_found');
  const id = await tenant.createKey('wrapped', first.name);
  expect(dataOf(await transit(api, `GET /keys/${first.name}`))).toMatchObject({ id });
  expectRefusal(await open({ ciphertext }, first), '400 invalid_ciphertext');
  expect(dataOf(await open({ ciphertext }, former))).toEqual({ plaintext: VALUE });
});

test('keys in two containers may have the same name, and each API key reaches the key in its container', async () => {
  const { client } = await tenant.mint({ container_id: await makeContainer(tenant) });
  const id = text(await client.send('POST', '/v1/keys', { name: key.name, tier: 'wrapped' }), 'id');
  expect(dataOf(await transit(client, `GET /keys/${key.name}`))).toMatchObject({ id });
  expect(dataOf(await transit(api, `GET /keys/${key.name}`))).toMatchObject({ id: key.id });
});

test.each(['1', 't', 'T', 'true', 'TRUE', 'True'])(
  'with list=%s, the list contains the names of the keys that the caller may see',
  async (value) => {
    const own = await makeTenant(stack);
    const key_ids = [await own.createKey('wrapped', 'first'), await own.createKey('wrapped', 'second')].slice(1);
    expect(dataOf(await transit(own.api, `GET /keys?list=${value}`))).toEqual({ keys: ['first', 'second'] });
    const { client } = await own.mint({ key_ids });
    expect(dataOf(await transit(client, `GET /keys?list=${value}`))).toEqual({ keys: ['second'] });
  },
);

test.each(['', '?list=', '?list=false', '?list=0', '?list=true&after=a', '?list=true&limit=1'])(
  'a request for the list with the query %j gets 400',
  async (query) => {
    expectRefusal(await transit(api, `GET /keys${query}`), '400 invalid_query');
  },
);

test.each<[Tier, string, Tier, string, (own: Tenant, next: string) => Promise<void>]>([
  ['wrapped', 'a free key at its cap', 'free', '429 ops_cap_reached', (_, next) => reachCap(stack, next)],
  ['free', 'a paid key without good standing', 'wrapped', '402 billing_required', lapse],
  ['wrapped', 'a free key without good standing', 'free', '200', lapse],
])('after a name moves from a %s key to %s (%s), encrypt gets %s', async (from, _, to, expected, prepare) => {
  const own = await makeTenant(stack);
  const [former, next] = [await own.createKey(from, 'moved'), await own.createKey(to, randomUUID())];
  const sealing = async () => outcome(await transit(own.api, 'POST /encrypt/moved', { plaintext: 'AAAA' }));
  expect(await sealing()).toBe('200');
  await own.api.send('PATCH', `/v1/keys/${former}`, { name: randomUUID() });
  await own.api.send('PATCH', `/v1/keys/${next}`, { name: 'moved' });
  await prepare(own, next);
  expect(await sealing()).toBe(expected);
});

function lapse({ id }: Tenant): Promise<void> {
  return setSubscription(stack, id, 'canceled');
}

test('Transit routes also accept a bearer token, but X-Vault-Token takes precedence, and native routes ignore it', async () => {
  const ask = async (token: string | undefined, vaultToken?: string, path = `/v1/transit/keys/${key.name}`) => {
    const headers = vaultToken === undefined ? {} : { headers: { 'x-vault-token': vaultToken } };
    return outcome(await send('GET', `${stack.baseUrl}${path}`, { token, ...headers }));
  };
  expect([await ask(api.token), await ask(api.token, ''), await ask('esk_short', api.token)]).toEqual(
    Array(3).fill('200'),
  );
  expect(await ask(api.token, 'esk_short')).toBe('403 unauthorized');
  expect(await ask(undefined, api.token, '/v1/keys')).toBe('401 unauthorized');
});

test('lookup-self answers with the token and its allowed actions, and renew-self with the same token, which does not expire', async () => {
  const bearer = { headers: { authorization: `bEaReR  ${api.token}`, 'x-vault-token': '' } };
  for (const extras of [{}, bearer]) {
    const found = dataOf(await transit(api, 'GET /auth/token/lookup-self', undefined, extras));
    expect(found).toMatchObject({ id: api.token, accessor: tenant.apiKeyId, renewable: false, ttl: 0 });
    expect(found.policies).toEqual([...ALL_ACTIONS]);
    const { status, body } = await transit(api, 'POST /auth/token/renew-self', { increment: 3600 }, extras);
    const auth = { client_token: api.token, renewable: false, lease_duration: 0 };
    expect([status, body]).toMatchObject([200, { data: null, auth }]);
  }
});

const raw = async (body: string, headers: Record<string, string> = {}, call = `POST /encrypt/${key.name}`) =>
  outcome(await transit(api, call, undefined, { raw: new Uint8Array(Buffer.from(body)), headers }));

test('a body of any content type is read as JSON', async () => {
  const body = JSON.stringify({ plaintext: VALUE });
  expect(await raw(body)).toBe('200');
  const types = ['application/json; charset=utf-8', 'text/json', 'text/plain;charset=UTF-8', ''];
  for (const type of [...types, 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    expect(await raw(body, { 'content-type': type })).toBe('200');
  }
});

test.each(['', '{}', 'null'])('the Transit body %j is read as an empty object', async (body) => {
  expect(await raw(body, {}, `POST /datakey/wrapped/${key.name}`)).toBe('200');
  expect(await raw(body, {}, `PUT /keys/${randomUUID()}`)).toBe('200');
  expect(await raw(body)).toBe('400 invalid_request');
});

test('fields with null, empty or default values, which Terraform’s provider sends, and a field called name are ignored', async () => {
  const nothing = { associated_data: null, context: null, nonce: null, batch_input: null, name: 'another' };
  for (const fields of [nothing, { context: '', key_version: 0, iv: '' }]) {
    expect(outcome(await seal({ plaintext: VALUE, ...fields }))).toBe('200');
  }
  const dataKey = await transit(api, `POST /datakey/wrapped/${key.name}`, { bits: null, name: 'another' });
  expect(outcome(dataKey)).toBe('200');
  const settings = { derived: false, exportable: false, convergent_encryption: false, auto_rotate_period: 0 };
  for (const fields of [{ tier: null, derived: null }, settings]) {
    expect(outcome(await transit(api, `PUT /keys/${randomUUID()}`, fields))).toBe('200');
  }
});

test('encrypt accepts the type of every key, in a value and in a batch', async () => {
  const value = { plaintext: VALUE, type: 'aes256-gcm96' };
  for (const body of [value, { batch_input: [value] }, { batch_input: [{ plaintext: VALUE }], type: value.type }]) {
    expect((await seal(body)).status).toBe(200);
  }
});

test('unknown fields of a request and of batch items are ignored and named once in the warnings', async () => {
  const ignored = (...names: string[]) => names.map((name) => `unknown field, ignored: ${name}`);
  const fields = { plaintext: VALUE, asociated_data: AAD };
  expect(warningsOf(await seal(fields))).toEqual(ignored('asociated_data'));
  const batch = await seal({ extra: 1, batch_input: [fields, fields] });
  expect(warningsOf(batch)).toEqual(ignored('extra', 'asociated_data'));
  for (const path of [`/datakey/wrapped/${key.name}`, `/keys/${randomUUID()}`, `/keys/${software.name}/rotate`]) {
    expect(warningsOf(await transit(api, `POST ${path}`, { extra: 1 }))).toEqual(ignored('extra'));
  }
  const names = Array.from({ length: 30 }, (_, n) => `${String(n).padStart(2, '0')}${'😀'.repeat(80)}`);
  const many = await seal({ plaintext: VALUE, ...Object.fromEntries(names.map((name) => [name, 1])) });
  // At most 20 fields are named, each with at most 64 characters.
  expect(warningsOf(many)).toEqual(ignored(...names.slice(0, 20).map((name) => [...name].slice(0, 64).join(''))));
});

test('every Transit answer has the mount_type transit', async () => {
  const calls = [`GET /keys/${key.name}`, 'GET /keys?list=true', 'GET /auth/token/lookup-self'];
  const answers = [await seal({ plaintext: VALUE }), ...(await Promise.all(calls.map((call) => transit(api, call))))];
  for (const { body } of answers) expect(body).toMatchObject({ mount_type: 'transit' });
});

test('the answer and the audit event have the x-request-id of the request', async () => {
  const id = randomUUID();
  const ask = (body: unknown) => transit(api, `POST /encrypt/${key.name}`, body, { headers: { 'x-request-id': id } });
  const answer = await ask({ plaintext: VALUE });
  expect([answer.headers.get('x-request-id'), answer.body]).toMatchObject([id, { request_id: id }]);
  const [event] = await eventsOfKey(api, key.id);
  expect(event).toMatchObject({ operation: 'encrypt', request_id: id, api_key_id: tenant.apiKeyId });
  const refused = await ask({});
  const errors = [expect.stringMatching(/^invalid_request: /)];
  expect([refused.headers.get('x-request-id'), refused.body]).toEqual([id, { errors }]);
});

test('requests for unknown routes, methods and keys under the Transit paths are refused in Vault’s error format', async () => {
  const unknown = await transit(api, `POST /hmac/${key.name}`, {});
  expectRefusal(unknown, '404 not_found');
  expect(unknown.body).toEqual({ errors: ['not_found: not found'] });
  expectRefusal(await transit(api, `DELETE /keys/${key.name}`), '405 method_not_allowed');
  const noKey = await transit(api, `GET /keys/${randomUUID()}`);
  expect([noKey.status, noKey.body]).toEqual([404, { errors: ['not_found: encryption key not found'] }]);
});

test('a request with the method LIST, which Node cannot read, is refused in Vault’s error format with a hint', async () => {
  const { hostname, port } = new URL(stack.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.end(`LIST /v1/transit/keys HTTP/1.1\r\nHost: ${hostname}\r\nX-Vault-Token: ${api.token}\r\n\r\n`);
  const [head, body = ''] = (await readAll(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: GET, HEAD$/s);
  expect(JSON.parse(body)).toEqual({ errors: [expect.stringMatching(/^method_not_allowed: .*\?list=true/)] });
});

const UNSUPPORTED_HEADERS = [
  ['x-vault-wrap-ttl', '60s'],
  ['x-vault-namespace', 'team'],
] as const;

test.each(ROUTES.filter((route) => route.transit))(
  'headers for unsupported features are refused with 400 for $call',
  async ({ call }) => {
    const url = `${stack.baseUrl}${fillPath(pathOf(call), key.name)}${call.endsWith('/keys') ? '?list=true' : ''}`;
    const body = call.startsWith('GET') ? {} : { body: { plaintext: VALUE, ciphertext: 'vault:v1:AAAA' } };
    for (const [header, value] of UNSUPPORTED_HEADERS) {
      const answer = await send(methodOf(call), url, { token: api.token, headers: { [header]: value }, ...body });
      expectRefusal(answer, '400 invalid_request');
      expect(errorsOf(answer).toLowerCase()).toContain(`${header} is not supported`);
    }
  },
);

test('headers for unsupported features are ignored if they are empty, and on native routes', async () => {
  for (const [header, value] of UNSUPPORTED_HEADERS) {
    const empty = { headers: { [header]: '' } };
    const sealed = await transit(api, `POST /encrypt/${key.name}`, { plaintext: VALUE }, empty);
    const native = await api.send('GET', '/v1/keys', undefined, { headers: { [header]: value } });
    expect([outcome(sealed), outcome(native)]).toEqual(['200', '200']);
  }
});

test.each([
  ...[{ context: VALUE }, { nonce: VALUE }, { iv: VALUE }, { key_version: 2 }, { convergent_encryption: true }],
  ...[
    { key_version: { toString: 1, valueOf: 1 } },
    { type: 'rsa-4096' },
    { partial_failure_response_code: 200 },
    { padding_scheme: 'oaep' },
  ],
])(
  'an unsupported field in a single value or in a batch is refused with 400, and the message names the field: %j',
  async (field) => {
    const [name = ''] = Object.keys(field);
    for (const operation of ['encrypt', 'decrypt', 'rewrap']) {
      const value = { plaintext: VALUE, ciphertext: 'vault:v1:AAAA', ...field };
      const answer = await transit(api, `POST /${operation}/${key.name}`, value);
      expectRefusal(answer, '400 invalid_request');
      expect(errorsOf(answer)).toContain(`${name} is not supported`);
      const batch = await transit(api, `POST /${operation}/${key.name}`, { batch_input: [value] });
      expect([batch.status, errorsOf(batch)]).toEqual([400, expect.stringContaining(name)]);
    }
    expectRefusal(await seal({ batch_input: [{ plaintext: VALUE }], ...field }), '400 invalid_request');
  },
);

test('a ciphertext of another type is refused with 400, also beside a key_version', async () => {
  for (const ciphertext of [{ toString: 1, valueOf: 1 }, ['vault:v1:AAAA'], 7])
    expectRefusal(await open({ ciphertext, key_version: 1 }), '400 invalid_request');
});

test.each([{ context: VALUE }, { nonce: VALUE }, { bits: 512 }, { bits: 0 }, { batch_input: [{}] }])(
  'an unsupported field for a data key is refused with 400: %j',
  async (field) => {
    for (const which of ['plaintext', 'wrapped']) {
      expectRefusal(await transit(api, `POST /datakey/${which}/${key.name}`, field), '400 invalid_request');
    }
  },
);

test.each([
  ...[{ derived: true }, { convergent_encryption: true }, { exportable: true }, { allow_plaintext_backup: true }],
  ...[{ auto_rotate_period: '24h' }, { key_size: 32 }, { managed_key_name: 'one' }, { type: 'rsa-4096' }],
])('an unsupported field for a new key is refused with 400, and no key is created: %j', async (field) => {
  const name = randomUUID();
  expectRefusal(await transit(api, `POST /keys/${name}`, field), '400 invalid_request');
  expectRefusal(await transit(api, `GET /keys/${name}`), '404 not_found');
});
