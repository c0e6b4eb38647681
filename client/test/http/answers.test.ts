import type { fetch as undiciFetch } from 'undici-types';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { API_CODES } from '../../src/api/generated.ts';
import type { EncryptionServiceError, ErrorCode } from '../../src/errors.ts';
import { EncryptionService } from '../../src/service.ts';
import type { Fetch } from '../../src/types.ts';
import { failureOf } from '../support/failure-of.ts';
import { API_KEY, KEY, KEY_JSON } from '../support/objects.ts';
import { answer, page, refuse, scriptedServer } from '../support/scripted-server.ts';

const MIB = 1_048_576;
const server = scriptedServer();
const connect = () => new EncryptionService({ url: server.url, apiKey: API_KEY });

test('an answer is returned with the field names of the API, and with decoded bytes and times', async () => {
  server.play(answer(200, KEY_JSON), answer(200, { plaintext: 'SGVsbG8=' }));
  expect(await connect().getKey(KEY.id)).toEqual(KEY);
  const { plaintext } = await connect().decrypt(KEY.id, { ciphertext: Uint8Array.of(1, 2) });
  expect(plaintext).toEqual(new TextEncoder().encode('Hello'));
  expect(server.requests).toMatchObject([
    { call: `GET /v1/keys/${KEY.id}`, body: undefined },
    { call: `POST /v1/keys/${KEY.id}/decrypt`, body: { ciphertext: 'AQI=' } },
  ]);
});

test('each request sends the credential and a new request id, and a JSON content type only if it has a body', async () => {
  server.play(answer(200, KEY_JSON));
  await connect().rotateKey(KEY.id);
  await connect().renameKey(KEY.id, { name: 'bills' });
  const [rotation, renaming] = server.requests.map(({ headers }) => headers);
  expect(rotation).toMatchObject({ authorization: `Bearer ${API_KEY}` });
  expect(rotation).not.toHaveProperty('content-type');
  expect(renaming).toMatchObject({ 'content-type': 'application/json' });
  expect(renaming?.['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(renaming?.['x-request-id']).not.toBe(rotation?.['x-request-id']);
});

test('a route that needs no credential is called without a credential', async () => {
  server.play(answer(200, { status: 'ok' }));
  const accessToken = () => {
    throw new Error('asked for a token');
  };
  await new EncryptionService({ url: server.url, accessToken }).live();
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('the function accessToken is called before each request, and its errors reach the caller unchanged', async () => {
  server.play(answer(200, []));
  const tokens = ['one', 'two'];
  const gone = new Error('signed out');
  const service = new EncryptionService({
    url: server.url,
    accessToken: async () => {
      const token = tokens.shift();
      if (token === undefined) throw gone;
      return token;
    },
  });
  await service.listKeys();
  await service.listKeys();
  await expect(service.listKeys()).rejects.toBe(gone);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
});

test('an id is escaped in the path and cannot lead to another path', async () => {
  server.play(refuse(404, 'not_found'));
  expect(await failureOf(connect().getKey('../usage?a#b'))).toMatchObject({ code: 'not_found' });
  expect(server.requests[0]?.call).toBe('GET /v1/keys/..%2Fusage%3Fa%23b');
  for (const id of ['', '.', '..']) await expect(connect().deleteKey(id)).rejects.toThrow(TypeError);
  expect(server.requests).toHaveLength(1);
});

test('the method ready returns the state of each component, even if the service is unavailable', async () => {
  server.play(answer(503, { status: 'unavailable', checks: { kms: 'unavailable' } }));
  expect(await connect().ready()).toEqual({ status: 'unavailable', checks: { kms: 'unavailable' } });
});

describe('an error', () => {
  test('an error has the code, message, status and request id of the service’s answer', async () => {
    server.play(refuse(409, 'key_pending_deletion'));
    const error = await failureOf(connect().rotateKey(KEY.id));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'EncryptionServiceError',
      code: 'key_pending_deletion',
      message: 'because of key_pending_deletion',
      status: 409,
      requestId: server.requests[0]?.headers['x-request-id'],
      retryable: false,
      resetsAt: undefined,
    });
  });

  test('an operation cap error contains the time when the cap resets, and is not retried', async () => {
    server.play(refuse(429, 'ops_cap_reached', { cap: 10_000, resets_at: '2026-12-01T00:00:00.000000Z' }));
    const error = await failureOf(connect().encrypt(KEY.id, { plaintext: new Uint8Array(1) }));
    expect(error).toMatchObject({ code: 'ops_cap_reached', retryable: false });
    expect(error.resetsAt).toEqual(new Date('2026-12-01T00:00:00Z'));
    expect(server.requests).toHaveLength(1);
  });

  test('the compiler can check that a switch statement handles every error code', () => {
    expectTypeOf<EncryptionServiceError['code']>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<keyof typeof API_CODES>().toExtend<ErrorCode>();
    expectTypeOf<'no_such_code'>().not.toExtend<ErrorCode>();
    expectTypeOf<'deadline_exceeded'>().toExtend<ErrorCode>();
  });

  test.each([
    ['an HTML page with status 200', page(200)],
    ['an HTML page with status 404', page(404)],
    ['an HTML page with status 500', page(500)],
    ['an error of another service', answer(403, { error: { code: 403, message: 'no' } })],
    ['an unknown error code', refuse(409, 'something_new')],
    ['a status that the operation never returns', answer(204)],
    ['malformed base64', answer(200, { ciphertext: '?' })],
    ['a redirect', answer(307, {}, { location: 'http://127.0.0.1:1/' })],
  ])('the library treats %s as an invalid answer and does not retry the call', async (_, step) => {
    server.play(step);
    const error = await failureOf(connect().encrypt(KEY.id, { plaintext: new Uint8Array(1) }));
    expect(error).toMatchObject({ code: 'invalid_answer', retryable: false });
    expect(server.requests).toHaveLength(1);
  });
});

test('a redirect sends neither the request nor the credential to another address', async () => {
  server.play(answer(307, {}, { location: `${server.url}/elsewhere` }));
  await failureOf(connect().listKeys());
  expect(server.requests.map(({ call }) => call)).toEqual(['GET /v1/keys']);
});

test('the library uses a custom fetch function if one is given', async () => {
  const calls: unknown[] = [];
  const other: Fetch = async (url, { method }) => {
    calls.push([url, method]);
    return Response.json([]);
  };
  const service = new EncryptionService({ url: 'https://api.example.com/base/', apiKey: API_KEY, fetch: other });
  expect(await service.listContainers()).toEqual([]);
  expect(calls).toEqual([['https://api.example.com/base/v1/containers', 'GET']]);
});

test.each([
  ['says that it is longer', { 'content-length': String(600 * MIB) }, 0],
  ['turns out to be longer', {}, 257],
])('a response over 256 MiB is an invalid_answer and is not read further (it %s)', async (_, headers, chunks) => {
  let [pulled, isCancelled] = [0, false];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(MIB).fill(0x20));
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const long: Fetch = async () => ({ status: 200, headers: new Headers(headers), body });
  const service = new EncryptionService({ url: 'https://api.example.com', apiKey: API_KEY, fetch: long });
  expect(await failureOf(service.listKeys())).toMatchObject({ code: 'invalid_answer', retryable: false });
  expect({ pulled, isCancelled }).toEqual({ pulled: chunks, isCancelled: true });
});

test('the types accept the global fetch and undici’s', () => {
  expectTypeOf<typeof fetch>().toExtend<Fetch>();
  expectTypeOf<typeof undiciFetch>().toExtend<Fetch>();
});
