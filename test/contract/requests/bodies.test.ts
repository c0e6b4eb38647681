import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { outcome, send } from '../../support/client.ts';
import { bodiesFor, METERED, type Metered } from '../../support/operations.ts';
import { postChunked } from '../../support/raw.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const BODY_BYTES = 131_072;
const TOO_LARGE = '413 payload_too_large';

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

test.each([
  ['application/vnd.api+json; charset="utf-8"', '200'],
  [undefined, '415 unsupported_media_type'],
  ['', '415 unsupported_media_type'],
  ['text/json', '415 unsupported_media_type'],
  ['application/x-www-form-urlencoded', '415 unsupported_media_type'],
])('a body with the content type %s gets %s', async (type, expected) => {
  expect(await post(`/v1/keys/${key}/encrypt`, JSON.stringify(bodies.encrypt), type)).toBe(expected);
});

test.each([
  ['only white space', ' \n'],
  ['two JSON values', '{} {}'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['null', 'null'],
  ['a string', '"aGVsbG8="'],
])('a request whose body is %s gets 400 invalid_request', async (_, body) => {
  expect(await post(`/v1/keys/${key}/encrypt`, body, 'application/json')).toBe('400 invalid_request');
});

test.each(METERED)('%s ignores unknown fields', async (operation) => {
  const body = { ...bodies[operation], colour: 'red', nested: { deep: [1, null] }, AAD: 'AAAA' };
  expect(outcome(await tenant.api.send('POST', `/v1/keys/${key}/${operation}`, body))).toBe('200');
});
