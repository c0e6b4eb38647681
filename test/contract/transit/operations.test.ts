import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { setSubscription } from '../../support/billing.ts';
import { fillPath, methodOf, pathOf } from '../../support/cases.ts';
import { outcome, send, text } from '../../support/client.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { ROUTES } from '../../support/route-table.ts';
import { ALL_ACTIONS, ALL_TIERS, type Client, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';
import { dataOf, textOf, transit } from '../../support/transit.ts';
import { reachCap } from '../../support/usage.ts';

const stack = inject('stack');
const VALUE = randomBase64(100);
const AAD = randomBase64(20);

async function namedKey(tier: (typeof ALL_TIERS)[number] = 'wrapped', name: string = randomUUID()): Promise<NamedKey> {
  return { name, id: await tenant.createKey(tier, name) };
}

interface NamedKey {
  readonly name: string;
  readonly id: string;
}

let tenant: Tenant;
let api: Client;
let console: Client;
let key: NamedKey;
let software: NamedKey;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  ({ api, console } = tenant);
  key = await namedKey();
  software = await namedKey('software');
});

// The case files call every route with both methods.
const method = 'PUT';

test.each(ALL_TIERS)(
  'a value encrypted with a %s key can be decrypted, and so can its rewrapped ciphertext',
  async (tier) => {
    // A tenant can have only one free key.
    const { api: own, createKey } = await makeTenant(stack);
    const name = randomUUID();
    await createKey(tier, name);
    const made = await transit(own, `${method} /encrypt/${name}`, { plaintext: VALUE, associated_data: AAD });
    expect(made.status).toBe(200);
    expect(dataOf(made)).toEqual({
      ciphertext: expect.stringMatching(/^vault:v1:[A-Za-z0-9+/]+=*$/),
      key_version: 1,
    });
    const sealed = { ciphertext: textOf(made, 'ciphertext'), associated_data: AAD };
    const rewrapped = await transit(own, `${method} /rewrap/${name}`, sealed);
    expect(dataOf(rewrapped)).toEqual({ ciphertext: expect.stringMatching(/^vault:v1:/), key_version: 1 });
    for (const ciphertext of [sealed.ciphertext, textOf(rewrapped, 'ciphertext')]) {
      const opened = await transit(own, `${method} /decrypt/${name}`, { ciphertext, associated_data: AAD });
      expect([opened.status, dataOf(opened)]).toEqual([200, { plaintext: VALUE }]);
    }
  },
);

test.each([
  [undefined, 32],
  [256, 32],
  [128, 16],
  ['128', 16],
])(
  'datakey/plaintext returns a data key in plaintext and wrapped, and datakey/wrapped returns it only wrapped (bits: %s)',
  async (bits, bytes) => {
    const open = await transit(api, `${method} /datakey/plaintext/${key.name}`, { bits });
    const { plaintext, ciphertext } = dataOf(open);
    expect(Buffer.from(String(plaintext), 'base64')).toHaveLength(bytes);
    expect(dataOf(await transit(api, `${method} /decrypt/${key.name}`, { ciphertext }))).toEqual({ plaintext });
    const wrapped = await transit(api, `${method} /datakey/wrapped/${key.name}`, { bits });
    expect(Object.keys(dataOf(wrapped)).sort()).toEqual(['ciphertext', 'key_version']);
    // The request contains all fields of the answer, including `key_version`.
    const opened = await transit(api, `${method} /decrypt/${key.name}`, dataOf(wrapped));
    expect(Buffer.from(textOf(opened, 'plaintext'), 'base64')).toHaveLength(bytes);
  },
);

test('a key is created with the software tier unless the request names a tier', async () => {
  const name = `new ${randomUUID()}/é%`;
  const path = `/keys/${encodeURIComponent(name)}`;
  const made = await transit(api, `${method} ${path}`, { type: 'aes256-gcm96', name: 'another' });
  expect(made.status).toBe(200);
  expect(dataOf(made)).toMatchObject({ name, tier: 'software', type: 'aes256-gcm96', latest_version: 1 });
  expect(dataOf(await transit(api, `GET ${path}`))).toEqual(dataOf(made));
  const wrapped = await transit(api, `${method} /keys/${randomUUID()}`, { tier: 'wrapped' });
  expect(dataOf(wrapped)).toMatchObject({ tier: 'wrapped' });
});

test('after a rotation, encrypt and rewrap use the new version, and earlier ciphertext can still be decrypted', async () => {
  const { name, id } = await namedKey('software');
  const before = textOf(await transit(api, `${method} /encrypt/${name}`, { plaintext: VALUE }), 'ciphertext');
  const rotated = await transit(api, `${method} /keys/${name}/rotate`);
  expect(dataOf(rotated)).toMatchObject({ latest_version: 2, min_decryption_version: 1 });
  expect(Object.keys(Object(dataOf(rotated).keys))).toEqual(['1', '2']);
  const after = await transit(api, `${method} /encrypt/${name}`, { plaintext: VALUE });
  expect(dataOf(after)).toEqual({ ciphertext: expect.stringMatching(/^vault:v2:/), key_version: 2 });
  const rewrapped = await transit(api, `${method} /rewrap/${name}`, { ciphertext: before });
  expect(textOf(rewrapped, 'ciphertext')).toMatch(/^vault:v2:/);
  for (const ciphertext of [before, textOf(rewrapped, 'ciphertext')]) {
    expect(dataOf(await transit(api, `${method} /decrypt/${name}`, { ciphertext }))).toEqual({ plaintext: VALUE });
  }
  expect(inWords(await eventsOfKey(api, id))).toContain('rotate_key');
});

test.each(['free', 'wrapped'] as const)(
  'rotating a %s key, which would lose data, is refused with 400 and the reason',
  async (tier) => {
    const { api: own, createKey } = await makeTenant(stack);
    const id = await createKey(tier, 'held');
    const answer = await transit(own, `${method} /keys/held/rotate`);
    expectRefusal(answer, '400 invalid_request');
    expect(String(Object(answer.body).errors)).toContain(`a ${tier} key keeps only one version`);
    expect((await own.send('GET', `/v1/keys/${id}`)).body).toMatchObject({ primary_version: 1 });
    expect(inWords(await eventsOfKey(own, id))).toEqual(['create_key', 'rotate_key invalid_request']);
  },
);

test('a Transit ciphertext contains the native ciphertext, and native and Transit routes decrypt each other’s ciphertext', async () => {
  const made = textOf(await transit(api, `POST /encrypt/${key.name}`, { plaintext: VALUE }), 'ciphertext');
  const ciphertext = made.replace('vault:v1:', '');
  expect((await operate(api, key.id, 'decrypt', { ciphertext })).body).toEqual({ plaintext: VALUE });
  const native = await encrypt(api, key.id, VALUE, AAD);
  const opened = await transit(api, `POST /decrypt/${key.name}`, {
    ciphertext: `vault:v1:${native}`,
    associated_data: AAD,
  });
  expect(dataOf(opened)).toEqual({ plaintext: VALUE });
});

test.each(['1', '7', '007', '4294967296', '99999999999999999999'])(
  'a Transit ciphertext is accepted with any positive version number: %s',
  async (version) => {
    const native = await encrypt(api, software.id, VALUE);
    const opened = await transit(api, `POST /decrypt/${software.name}`, {
      ciphertext: `vault:v${version}:${native}`,
    });
    expect(dataOf(opened)).toEqual({ plaintext: VALUE });
  },
);

test.each(['', 'AAAA', 'vault:v0:AAAA', 'vault:v-1:AAAA', 'vault:1:AAAA', 'Vault:v1:AAAA', 'vault:v:AAAA', 'vault:v1'])(
  'a malformed ciphertext is refused with 400 invalid_ciphertext: %j',
  async (ciphertext) => {
    for (const operation of ['decrypt', 'rewrap']) {
      expectRefusal(await transit(api, `POST /${operation}/${key.name}`, { ciphertext }), '400 invalid_ciphertext');
    }
  },
);

test.each([
  [{ ciphertext: 'vault:v1:A' }, '400 invalid_base64', 'ciphertext'],
  [{ ciphertext: 'vault:v1:AAAA', associated_data: 'A' }, '400 invalid_base64', 'associated_data'],
  [{ ciphertext: 'vault:v1:AAAA' }, '400 invalid_ciphertext', 'cannot be decrypted'],
])(
  'an invalid Transit ciphertext is refused with the native error code, and the message uses Transit’s field names: %j',
  async (body, refusal, said) => {
    const answer = await transit(api, `POST /decrypt/${key.name}`, body);
    expectRefusal(answer, refusal);
    expect(String(Object(answer.body).errors)).toContain(said);
  },
);

test.each(['two words', 'a/b', 'ä€😀', '100%', '+', '~!$&()*,;=:@', 'keys', 'rotate', '__proto__', 'a'.repeat(128)])(
  'a percent-encoded key name in a Transit path is decoded: %j',
  async (name) => {
    const { api: own, createKey } = await makeTenant(stack);
    await createKey('wrapped', name);
    expect(dataOf(await transit(own, `GET /keys/${encodeURIComponent(name)}`))).toMatchObject({ name });
    const made = await transit(own, `POST /encrypt/${encodeURIComponent(name)}`, { plaintext: VALUE });
    expect(made.status).toBe(200);
  },
);

test('after a name moves to another key, the next request with the name uses the other key', async () => {
  const { api: own, createKey } = await makeTenant(stack);
  const first = await createKey('wrapped', 'current');
  const made = textOf(await transit(own, 'POST /encrypt/current', { plaintext: VALUE }), 'ciphertext');
  await own.send('PATCH', `/v1/keys/${first}`, { name: 'former' });
  expectRefusal(await transit(own, 'POST /decrypt/current', { ciphertext: made }), '404 not_found');
  const second = await createKey('wrapped', 'current');
  expect(dataOf(await transit(own, 'GET /keys/current'))).toMatchObject({ id: second });
  expectRefusal(await transit(own, 'POST /decrypt/current', { ciphertext: made }), '400 invalid_ciphertext');
  expect(dataOf(await transit(own, 'POST /decrypt/former', { ciphertext: made }))).toEqual({ plaintext: VALUE });
});

test('keys in two containers may have the same name, and each API key reaches the key in its container', async () => {
  const container_id = text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
  const { client } = await tenant.mint({ container_id });
  const id = text(await client.send('POST', '/v1/keys', { name: key.name, tier: 'wrapped' }), 'id');
  expect(dataOf(await transit(client, `GET /keys/${key.name}`))).toMatchObject({ id });
  expect(dataOf(await transit(api, `GET /keys/${key.name}`))).toMatchObject({ id: key.id });
});

describe('the Transit list of keys', () => {
  let own: Tenant;
  let second: string;
  beforeAll(async () => {
    own = await makeTenant(stack);
    await own.createKey('wrapped', 'first');
    second = await own.createKey('wrapped', 'second');
  });

  test.each(['1', 't', 'T', 'true', 'TRUE', 'True'])(
    'with list=%s, the list contains the names of the keys that the caller may see',
    async (value) => {
      expect(dataOf(await transit(own.api, `GET /keys?list=${value}`))).toEqual({ keys: ['first', 'second'] });
      const { client } = await own.mint({ key_ids: [second] });
      expect(dataOf(await transit(client, `GET /keys?list=${value}`))).toEqual({ keys: ['second'] });
    },
  );

  test.each(['', '?list=', '?list=false', '?list=0', '?list=true&after=a', '?list=true&limit=1'])(
    'a request for the list with the query %j gets 400',
    async (query) => {
      expectRefusal(await transit(own.api, `GET /keys${query}`), '400 invalid_query');
    },
  );
});

/** Encrypts with a key named `moved`, then gives the name to a key of another tier. */
async function moveName(from: Tier, to: Tier) {
  const own = await makeTenant(stack);
  const [former, next] = [await own.createKey(from, 'moved'), await own.createKey(to, randomUUID())];
  const encrypt = () => transit(own.api, 'POST /encrypt/moved', { plaintext: 'AAAA' });
  expect((await encrypt()).status).toBe(200);
  await own.api.send('PATCH', `/v1/keys/${former}`, { name: randomUUID() });
  await own.api.send('PATCH', `/v1/keys/${next}`, { name: 'moved' });
  return { own, next, encrypt };
}

test('after a name moves from a wrapped key to a free key at its cap, encrypt is refused with 429', async () => {
  const { next, encrypt } = await moveName('wrapped', 'free');
  await reachCap(stack, next);
  expectRefusal(await encrypt(), '429 ops_cap_reached');
});

test('after a name moves from a free key to a paid key, encrypt needs billing in good standing', async () => {
  const { own, encrypt } = await moveName('free', 'wrapped');
  await setSubscription(stack, own.id, 'canceled');
  expectRefusal(await encrypt(), '402 billing_required');
});

test('after a name moves from a paid key to a free key, encrypt works without good standing', async () => {
  const { own, encrypt } = await moveName('wrapped', 'free');
  await setSubscription(stack, own.id, 'canceled');
  expect((await encrypt()).status).toBe(200);
});

test('Transit routes also accept a bearer token, but X-Vault-Token takes precedence', async () => {
  const call = `${stack.baseUrl}/v1/transit/keys/${key.name}`;
  expect((await send('GET', call, { token: api.token })).status).toBe(200);
  const both = { token: 'esk_short', headers: { 'x-vault-token': api.token ?? '' } };
  expect((await send('GET', call, both)).status).toBe(200);
  const neither = { token: api.token, headers: { 'x-vault-token': 'esk_short' } };
  expectRefusal(await send('GET', call, neither), '403 unauthorized');
  expect((await send('GET', call, { token: api.token, headers: { 'x-vault-token': '' } })).status).toBe(200);
});

test('native routes ignore X-Vault-Token', async () => {
  const answer = await send('GET', `${stack.baseUrl}/v1/keys`, { headers: { 'x-vault-token': api.token ?? '' } });
  expectRefusal(answer, '401 unauthorized');
});

const bearer = () => ({ headers: { authorization: `bEaReR  ${api.token}`, 'x-vault-token': '' } });

test('lookup-self answers with the token and its allowed actions', async () => {
  for (const extras of [{}, bearer()]) {
    const answer = await transit(api, 'GET /auth/token/lookup-self', undefined, extras);
    expect(dataOf(answer)).toMatchObject({ id: api.token, accessor: tenant.apiKeyId, renewable: false, ttl: 0 });
    expect(dataOf(answer).policies).toEqual([...ALL_ACTIONS]);
  }
});

test.each(['POST', 'PUT'])('renew-self with %s answers with the same token, which does not expire', async (method) => {
  for (const extras of [{}, bearer()]) {
    const answer = await transit(api, `${method} /auth/token/renew-self`, { increment: 3600 }, extras);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { data: null, auth: { client_token: api.token, renewable: false, lease_duration: 0 } },
    ]);
  }
});

const raw = (body: string, headers: Record<string, string> = {}, call = `POST /encrypt/${key.name}`) =>
  transit(api, call, undefined, { raw: new Uint8Array(Buffer.from(body)), headers });

test('a body of any content type is read as JSON, but an encoded body is refused with 415', async () => {
  const body = JSON.stringify({ plaintext: VALUE });
  expect(outcome(await raw(body))).toBe('200');
  const types = ['application/json; charset=utf-8', 'text/json', 'text/plain;charset=UTF-8', ''];
  for (const type of [...types, 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    expect(outcome(await raw(body, { 'content-type': type }))).toBe('200');
  }
  expectRefusal(await raw(body, { 'content-encoding': 'gzip' }), '415 unsupported_media_type');
});

test.each(['', '{}', 'null'])('the Transit body %j is read as an empty object', async (body) => {
  expect(outcome(await raw(body, {}, `POST /datakey/wrapped/${key.name}`))).toBe('200');
  expect(outcome(await raw(body, {}, `PUT /keys/${randomUUID()}`))).toBe('200');
  expectRefusal(await raw(body), '400 invalid_request');
});

test('a Transit body may contain null for absent fields, and a field called name, which is ignored', async () => {
  const nothing = { associated_data: null, context: null, nonce: null, batch_input: null, name: 'another' };
  expect(outcome(await transit(api, `POST /encrypt/${key.name}`, { plaintext: VALUE, ...nothing }))).toBe('200');
  expect(outcome(await transit(api, `POST /datakey/wrapped/${key.name}`, { bits: null, name: 'another' }))).toBe('200');
  expect(outcome(await transit(api, `POST /keys/${randomUUID()}`, { tier: null, derived: null }))).toBe('200');
});

test('the answer and the audit event have the x-request-id of the request', async () => {
  const headers = { 'x-request-id': randomUUID() };
  const answer = await transit(api, `POST /encrypt/${key.name}`, { plaintext: VALUE }, { headers });
  expect([answer.headers.get('x-request-id'), Object(answer.body).request_id]).toEqual(
    Array(2).fill(headers['x-request-id']),
  );
  const [event] = await eventsOfKey(api, key.id);
  expect(event).toMatchObject({
    operation: 'encrypt',
    request_id: headers['x-request-id'],
    api_key_id: tenant.apiKeyId,
  });
  const refused = await transit(api, `POST /encrypt/${key.name}`, {}, { headers });
  expect([refused.headers.get('x-request-id'), refused.body]).toEqual([
    headers['x-request-id'],
    { errors: [expect.stringMatching(/^invalid_request: /)] },
  ]);
});

test('requests for unknown routes and methods under the Transit paths are refused in Vault’s error format', async () => {
  expectRefusal(await transit(api, `POST /hmac/${key.name}`, {}), '404 not_found');
  expectRefusal(await transit(api, `DELETE /keys/${key.name}`), '405 method_not_allowed');
  expect((await transit(api, `POST /hmac/${key.name}`, {})).body).toEqual({ errors: ['not_found: not found'] });
  const unknown = await transit(api, `GET /keys/${randomUUID()}`);
  expect([unknown.status, unknown.body]).toEqual([404, { errors: ['not_found: encryption key not found'] }]);
});

test('a request with the method LIST, which Node cannot read, is refused in Vault’s error format with a hint', async () => {
  const { hostname, port } = new URL(stack.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.end(`LIST /v1/transit/keys HTTP/1.1\r\nHost: ${hostname}\r\nX-Vault-Token: ${api.token}\r\n\r\n`);
  const [head, body = ''] = (await readAll(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: GET, HEAD$/s);
  expect(JSON.parse(body)).toEqual({ errors: [expect.stringMatching(/^method_not_allowed: .*\?list=true/)] });
});

describe.each([
  ['x-vault-wrap-ttl', '60s'],
  ['x-vault-namespace', 'team'],
])('the header %s', (header, value) => {
  test.each(ROUTES.filter((route) => route.transit))(`${header} is refused with 400 for $call`, async ({ call }) => {
    const url = `${stack.baseUrl}${fillPath(pathOf(call), key.name)}${call.endsWith('/keys') ? '?list=true' : ''}`;
    const body = call.startsWith('GET') ? {} : { body: { plaintext: VALUE, ciphertext: 'vault:v1:AAAA' } };
    const answer = await send(methodOf(call), url, { token: api.token, headers: { [header]: value }, ...body });
    expectRefusal(answer, '400 invalid_request');
    expect(String(Object(answer.body).errors).toLowerCase()).toContain(`${header} is not supported`);
  });

  test(`an empty ${header} is ignored`, async () => {
    const extras = { headers: { [header]: '' } };
    expect(outcome(await transit(api, `POST /encrypt/${key.name}`, { plaintext: VALUE }, extras))).toBe('200');
  });

  test(`native routes ignore ${header}`, async () => {
    expect(outcome(await api.send('GET', '/v1/keys', undefined, { headers: { [header]: value } }))).toBe('200');
  });
});

const CONTEXT = { context: VALUE };
const UNSUPPORTED = [
  CONTEXT,
  { nonce: VALUE },
  { iv: VALUE },
  { key_version: 2 },
  { convergent_encryption: true },
  { type: 'rsa-4096' },
  { partial_failure_response_code: 200 },
  { padding_scheme: 'oaep' },
];

test.each(UNSUPPORTED)(
  'an unsupported field in a single value or in a batch is refused with 400, and the message names the field: %j',
  async (field) => {
    const [name = ''] = Object.keys(field);
    for (const operation of ['encrypt', 'decrypt', 'rewrap']) {
      const value = { plaintext: VALUE, ciphertext: 'vault:v1:AAAA', ...field };
      const answer = await transit(api, `POST /${operation}/${key.name}`, value);
      expectRefusal(answer, '400 invalid_request');
      expect(String(Object(answer.body).errors)).toContain(`${name} is not supported`);
      const batch = await transit(api, `POST /${operation}/${key.name}`, { batch_input: [value] });
      expect([batch.status, String(Object(batch.body).errors)]).toEqual([400, expect.stringContaining(name)]);
    }
    const around = { batch_input: [{ plaintext: VALUE }], ...field };
    expectRefusal(await transit(api, `POST /encrypt/${key.name}`, around), '400 invalid_request');
  },
);

test.each([CONTEXT, { nonce: VALUE }, { bits: 512 }, { bits: 0 }, { batch_input: [{}] }])(
  'an unsupported field for a data key is refused with 400: %j',
  async (field) => {
    for (const which of ['plaintext', 'wrapped']) {
      expectRefusal(await transit(api, `POST /datakey/${which}/${key.name}`, field), '400 invalid_request');
    }
  },
);

test.each([
  { derived: true },
  { convergent_encryption: true },
  { exportable: true },
  { allow_plaintext_backup: true },
  { auto_rotate_period: '24h' },
  { key_size: 32 },
  { managed_key_name: 'one' },
  { type: 'rsa-4096' },
])('an unsupported field for a new key is refused with 400, and no key is created: %j', async (field) => {
  const name = randomUUID();
  expectRefusal(await transit(api, `POST /keys/${name}`, field), '400 invalid_request');
  expectRefusal(await transit(api, `GET /keys/${name}`), '404 not_found');
});

test('an unsupported field in a request to rotate a key or in a query is refused with 400', async () => {
  const answer = await transit(api, `POST /keys/${software.name}/rotate`, { managed_key_name: 'one' });
  expectRefusal(answer, '400 invalid_request');
  expectRefusal(await transit(api, `GET /keys/${software.name}?context=AAAA`), '400 invalid_query');
});

test('an unsupported field with an empty or default value is ignored, because Terraform’s provider sends such fields', async () => {
  const emptyFields = { plaintext: VALUE, context: '', key_version: 0, iv: '' };
  expect(outcome(await transit(api, `PUT /encrypt/${key.name}`, emptyFields))).toBe('200');
  const settings = { derived: false, exportable: false, convergent_encryption: false, auto_rotate_period: 0 };
  expect(outcome(await transit(api, `PUT /keys/${randomUUID()}`, settings))).toBe('200');
});
