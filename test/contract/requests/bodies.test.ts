import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, send } from '../../support/client.ts';
import { bodiesFor, METERED, type Metered } from '../../support/operations.ts';
import { postChunked } from '../../support/raw.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const BODY_BYTES = 131_072;
const TOO_LARGE = '413 payload_too_large';
const UNREADABLE = '400 invalid_request';

let tenant: Tenant;
let key: string;
let bodies: Record<Metered, Record<string, string>>;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  key = await tenant.createKey('free');
  bodies = await bodiesFor(tenant.api, key);
});

/** Sends a body unchanged, with a content type only if `type` is given. Returns the outcome. */
const post = async (path: string, body: string | Buffer, type?: string, method = 'POST') =>
  outcome(
    await send(method, `${stack.baseUrl}${path}`, {
      token: tenant.api.token,
      raw: new Uint8Array(Buffer.from(body)),
      headers: type === undefined ? {} : { 'content-type': type },
    }),
  );

/** Returns JSON padded with white space to the given number of bytes. */
const padded = (body: unknown, bytes: number) => JSON.stringify(body).padEnd(bytes, ' ');

describe('the size of a request body', () => {
  test.each(METERED)('a body for %s may have at most 131,072 bytes, including white space', async (operation) => {
    const path = `/v1/keys/${key}/${operation}`;
    expect(await post(path, padded(bodies[operation], BODY_BYTES), 'application/json')).toBe('200');
    expect(await post(path, padded(bodies[operation], BODY_BYTES + 1), 'application/json')).toBe(TOO_LARGE);
  });

  test.each([100_000, 16_384, 1_000])(
    'a body that is sent in chunks of %i bytes, without a content length, may have at most 131,072 bytes',
    async (chunk) => {
      const path = `/v1/keys/${key}/encrypt`;
      expect(await postChunked(tenant.api, path, padded(bodies.encrypt, BODY_BYTES), chunk)).toBe(200);
      expect(await postChunked(tenant.api, path, padded(bodies.encrypt, BODY_BYTES + 1), chunk)).toBe(413);
    },
  );

  test('a body to create or rename a key may have at most 131,072 bytes, including white space', async () => {
    const name = randomUUID();
    const created = { name, tier: 'software' };
    expect(await post('/v1/keys', padded(created, BODY_BYTES + 1), 'application/json')).toBe(TOO_LARGE);
    expect(await post('/v1/keys', padded(created, BODY_BYTES), 'application/json')).toBe('201');
    const renamed = padded({ name: randomUUID() }, BODY_BYTES);
    expect(await post(`/v1/keys/${key}`, `${renamed} `, 'application/json', 'PATCH')).toBe(TOO_LARGE);
    expect(await post(`/v1/keys/${key}`, renamed, 'application/json', 'PATCH')).toBe('200');
  });
});

describe('the content type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"; v=1',
    'Application/JSON',
    'application/vnd.api+json',
    'application/merge-patch+json; charset=utf-8',
  ])('a body with the content type %s is accepted', async (type) => {
    expect(await post(`/v1/keys/${key}/encrypt`, JSON.stringify(bodies.encrypt), type)).toBe('200');
  });

  test.each([
    undefined,
    '',
    'text/json',
    'text/plain',
    'text/vnd.api+json',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'application/jsonl',
    'application/json+xml',
    'application/xml',
    'json',
    '*/*',
  ])('a body with the content type %s is refused with 415', async (type) => {
    for (const operation of METERED) {
      const answered = await post(`/v1/keys/${key}/${operation}`, JSON.stringify(bodies[operation]), type);
      expect(answered).toBe('415 unsupported_media_type');
    }
    const created = JSON.stringify({ name: randomUUID(), tier: 'software' });
    expect(await post('/v1/keys', created, type)).toBe('415 unsupported_media_type');
    expect(await post(`/v1/keys/${key}`, created, type, 'PATCH')).toBe('415 unsupported_media_type');
  });
});

describe('invalid request bodies', () => {
  const routes = () => [
    ...METERED.map((operation) => ['POST', `/v1/keys/${key}/${operation}`] as const),
    ['POST', '/v1/keys'] as const,
    ['PATCH', `/v1/keys/${key}`] as const,
  ];

  test.each([
    ['empty', ''],
    ['only white space', ' \n'],
    ['plain words', 'not json'],
    ['truncated JSON', '{"plaintext":'],
    ['two JSON values', '{} {}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['null', 'null'],
    ['a string', '"aGVsbG8="'],
    ['a number', '1'],
    ['a list', '[]'],
  ])('a request whose body is %s gets 400 invalid_request', async (_, body) => {
    for (const [method, path] of routes()) expect(await post(path, body, 'application/json', method)).toBe(UNREADABLE);
  });

  test.each([
    ['encrypt', {}],
    ['encrypt', { aad: 'AAAA' }],
    ['encrypt', { plaintext: null }],
    ['encrypt', { plaintext: 5 }],
    ['encrypt', { plaintext: ['aGVsbG8='] }],
    ['encrypt', { plaintext: 'aGVsbG8=', aad: 5 }],
    ['encrypt', { plaintext: 'aGVsbG8=', aad: {} }],
    ['decrypt', {}],
    ['decrypt', { plaintext: 'aGVsbG8=' }],
    ['decrypt', { ciphertext: null }],
    ['wrap', { dek: 5 }],
    ['wrap', { dek: [] }],
    ['unwrap', {}],
    ['unwrap', { ciphertext: 'aGVsbG8=' }],
    ['rewrap', {}],
    ['rewrap', { ciphertext: true }],
  ] as const)('%s with the body %j gets 400 invalid_request', async (operation, body) => {
    expect(outcome(await tenant.api.send('POST', `/v1/keys/${key}/${operation}`, body))).toBe(UNREADABLE);
  });
});

test.each(METERED)('%s ignores unknown fields', async (operation) => {
  const body = { ...bodies[operation], colour: 'red', nested: { deep: [1, null] }, AAD: 'AAAA' };
  expect(outcome(await tenant.api.send('POST', `/v1/keys/${key}/${operation}`, body))).toBe('200');
});
