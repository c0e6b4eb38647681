import { inspect } from 'node:util';
import fc from 'fast-check';
import type { fetch as undiciFetch } from 'undici-types';
import { afterEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { fromBase64, toBase64 } from '../src/api/base64.ts';
import type { API_CODES } from '../src/api/generated.ts';
import { decodeAnswer, encodeBody, encodeQuery } from '../src/api/json.ts';
import { Timestamp } from '../src/api/timestamp.ts';
import type { EncryptionServiceError, ErrorCode } from '../src/errors.ts';
import { nextPage } from '../src/http/connection.ts';
import { readOptions } from '../src/http/settings.ts';
import { EncryptionService } from '../src/service.ts';
import type { Fetch } from '../src/types.ts';
import { keptToken } from '../src/workload/kept-token.ts';
import { API_KEY, failureOf, KEY, KEY_JSON } from './support/objects.ts';
import { answer, page, refuse, type Step, scriptedServer, silence } from './support/scripted-server.ts';

const MIB = 1_048_576;
const server = scriptedServer();
const connect = (options: { timeoutMs?: number; maxRetries?: number } = {}) =>
  new EncryptionService({ url: server.url, apiKey: API_KEY, ...options });

afterEach(() => vi.restoreAllMocks());

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
  const accessToken = async () => {
    const token = tokens.shift();
    if (token === undefined) throw gone;
    return token;
  };
  const service = new EncryptionService({ url: server.url, accessToken });
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

/** Keeps ID tokens with these claims, for a time in seconds at which the clocks stop. */
function workloadAt(claimsOf: (now: number) => object) {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const start = Date.now();
  const claims = Buffer.from(JSON.stringify(claimsOf(start / 1000))).toString('base64url');
  const fetchToken = vi.fn(async () => `e30.${claims}.AAAA`);
  const advance = (monotonicMs: number, wallMs?: number) => {
    vi.advanceTimersByTime(monotonicMs);
    if (wallMs !== undefined) vi.setSystemTime(start + wallMs);
  };
  return { advance, fetchToken, read: keptToken(fetchToken) };
}

test.each([
  ['kept until shortly before it expires', 539_999, 539_999, 1],
  ['replaced by the wall clock, while the monotonic clock stands still', 540_000, 0, 2],
  ['replaced by the monotonic clock, while the wall clock stands still', 0, 540_000, 2],
  ['replaced if the wall clock was set back to before the token was fetched', -1, 1, 2],
])('a workload’s ID token of ten minutes is %s', async (_, wallMs, monotonicMs, expected) => {
  const { advance, read, fetchToken } = workloadAt((now) => ({ exp: now + 600 }));
  await read();
  advance(monotonicMs, wallMs);
  await read();
  expect(fetchToken).toHaveBeenCalledTimes(expected);
});

test('if the clock is slow, a workload’s ID token is kept no longer than from its time of issue to its expiry', async () => {
  const { advance, read, fetchToken } = workloadAt((now) => ({ iat: now + 3_600, exp: now + 4_200 }));
  await read();
  advance(539_999);
  await read();
  expect(fetchToken).toHaveBeenCalledTimes(1);
  advance(1);
  await read();
  expect(fetchToken).toHaveBeenCalledTimes(2);
});

test('a workload’s ID token that the service refuses is replaced for the next call, at most once a minute', async () => {
  const { advance, read, fetchToken } = workloadAt((now) => ({ exp: now + 600 }));
  server.play(answer(200, []), refuse(401, 'unauthorized'));
  const service = new EncryptionService({ url: server.url, apiKey: read });
  await service.listKeys();
  advance(59_999);
  await failureOf(service.listKeys());
  await failureOf(service.listKeys());
  expect(fetchToken).toHaveBeenCalledTimes(1);
  advance(1);
  await failureOf(service.listKeys());
  await failureOf(service.listKeys());
  await failureOf(service.listKeys());
  expect(fetchToken).toHaveBeenCalledTimes(2);
});

test('the method ready returns the state of each component, even if the service is unavailable', async () => {
  server.play(answer(503, { status: 'unavailable', checks: { kms: 'unavailable' } }));
  expect(await connect().ready()).toEqual({ status: 'unavailable', checks: { kms: 'unavailable' } });
});

describe('an error', () => {
  const redirect: Step = (response, request) =>
    answer(307, {}, { location: `${server.url}/elsewhere` })(response, request);

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

  test('an operation cap error without a valid time has no time, and is an error of the library', async () => {
    server.play(refuse(429, 'ops_cap_reached', { resets_at: 'soon' }));
    const error = await failureOf(connect().encrypt(KEY.id, { plaintext: new Uint8Array(1) }));
    expect(error).toMatchObject({ name: 'EncryptionServiceError', code: 'ops_cap_reached', resetsAt: undefined });
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
    ['a redirect, which is not followed', redirect],
  ])('the library treats %s as an invalid answer and does not retry the call', async (_, step) => {
    server.play(step);
    const encryption = connect().encrypt(KEY.id, { plaintext: new Uint8Array(1) });
    expect(await failureOf(encryption)).toMatchObject({ code: 'invalid_answer', retryable: false });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['says that it is longer', { 'content-length': String(600 * MIB) }, 0],
  ['turns out to be longer', {}, 257],
])('a response over 256 MiB is an invalid_answer and is not read further (it %s)', async (_, headers, chunks) => {
  const source = {
    pull: vi.fn((controller: ReadableStreamDefaultController<Uint8Array>) =>
      controller.enqueue(new Uint8Array(MIB).fill(0x20)),
    ),
    cancel: vi.fn(),
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const long: Fetch = async () => ({ status: 200, headers: new Headers(headers), body });
  const service = new EncryptionService({ url: 'https://api.example.com', apiKey: API_KEY, fetch: long });
  expect(await failureOf(service.listKeys())).toMatchObject({ code: 'invalid_answer', retryable: false });
  expect(source.pull).toHaveBeenCalledTimes(chunks);
  expect(source.cancel).toHaveBeenCalled();
});

test('the types accept the global fetch and undici’s', () => {
  expectTypeOf<typeof fetch>().toExtend<Fetch>();
  expectTypeOf<typeof undiciFetch>().toExtend<Fetch>();
});

const event = (ts: string) => ({ ts, operation: 'encrypt', result: 'success', error_code: null });
const next = (to: string) => ({ link: `<${to}>; rel="next"` });

test('each page is requested with the credential, at the link in the previous page', async () => {
  server.play(
    answer(200, [event('2026-11-20T10:00:03.000003Z')], next('/v1/audit?limit=1&cursor=a%2Bb')),
    answer(200, [event('2026-11-20T10:00:02.000002Z')], next('/v1/audit?limit=1&cursor=c')),
    answer(200, [event('2026-11-20T10:00:01.000001Z')]),
  );
  const events = await Array.fromAsync(connect().readAudit({ limit: 1 }));
  expect(events.map(({ ts }) => ts.getUTCSeconds())).toEqual([3, 2, 1]);
  expect(server.requests.map(({ call }) => call)).toEqual([
    'GET /v1/audit?limit=1',
    'GET /v1/audit?limit=1&cursor=a%2Bb',
    'GET /v1/audit?limit=1&cursor=c',
  ]);
  expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${API_KEY}`)).toBe(true);
});

test('a page is requested only when it is needed', async () => {
  server.play(answer(200, [event('2026-11-20T10:00:03Z')], next(`/v1/keys/${KEY.id}/audit?cursor=a`)));
  for await (const one of connect().readKeyAudit(KEY.id)) {
    expect(one.operation).toBe('encrypt');
    break;
  }
  expect(server.requests.map(({ call }) => call)).toEqual([`GET /v1/keys/${KEY.id}/audit`]);
});

test('a next-page link to another server or path is requested from the original server and path', async () => {
  server.play(answer(200, [], next(`http://127.0.0.1:1/v1/keys?cursor=a`)), answer(200, []));
  await Array.fromAsync(connect().readAudit());
  expect(server.requests.map(({ call }) => call)).toEqual(['GET /v1/audit', 'GET /v1/audit?cursor=a']);
});

test('if a page fails, reading the list throws the error after it has returned the events of earlier pages', async () => {
  server.play(answer(200, [event('2026-11-20T10:00:03Z')], next('/v1/audit?cursor=a')), refuse(400, 'invalid_query'));
  const seen: unknown[] = [];
  const read = async () => {
    for await (const one of connect().readAudit()) seen.push(one.operation);
  };
  expect(await failureOf(read())).toMatchObject({ code: 'invalid_query' });
  expect(seen).toEqual(['encrypt']);
});

test.each([
  ['</v1/audit?cursor=a>; rel="next"', '?cursor=a'],
  ['</v1/audit?cursor=a>;rel=next', '?cursor=a'],
  ['</v1/audit?cursor=z>; rel="prev", </v1/audit?cursor=a>; rel="next"', '?cursor=a'],
  ['</v1/audit?cursor=z>; rel="prev"', undefined],
  ['</v1/audit>; rel="next"', undefined],
  ['', undefined],
  [undefined, undefined],
])('for the Link header %j, the query of the next page is %j', (link, query) => {
  expect(nextPage(link)).toBe(query);
});

describe('the address of the service', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://example.com:8443/encryption/', 'https://example.com:8443/encryption'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('the address %s is accepted', (url, address) => {
    expect(readOptions({ url })).toMatchObject({ address });
    expect(readOptions({ url: new URL(url) })).toMatchObject({ address });
  });

  test.each([
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'ftp://127.0.0.1',
    'https://me:secret@example.com',
    'https://example.com/?a=b',
    'https://example.com/#a',
    'example.com',
    '',
  ])('the address %s is refused', (url) => {
    expect(() => new EncryptionService({ url, apiKey: API_KEY })).toThrow(TypeError);
  });

  test('plain http to another machine is accepted with allowHttp', () => {
    const settings = readOptions({ url: 'http://encryption:8080', allowHttp: true });
    expect(settings).toMatchObject({ address: 'http://encryption:8080' });
  });
});

test.each([-1, 1.5])('the option maxRetries with the value %d is refused', (maxRetries) => {
  expect(() => readOptions({ url: 'https://a.example', maxRetries })).toThrow(TypeError);
});

test.each([Number.NaN, 0, -5, '30s', '30', null])(
  'the option timeoutMs with the value %o is refused, both for the service object and for a call',
  async (wrong) => {
    const options = Object({ timeoutMs: wrong });
    const expected = new TypeError('timeoutMs must be a positive number');
    expect(() => readOptions({ url: 'https://a.example', ...options })).toThrow(expected);
    const service = new EncryptionService({ url: 'http://127.0.0.1:1', apiKey: API_KEY });
    await expect(service.listKeys(options)).rejects.toThrow(expected);
    await expect(service.readAudit({}, options).next()).rejects.toThrow(expected);
  },
);

test.each(['', 'esk_a b', `${API_KEY}\n`, 'esk_ü'])(
  'an API key that is not a valid token is refused, and the error does not show it: %j',
  (apiKey) => {
    const message = 'apiKey must be a token of visible ASCII characters, without spaces or line breaks';
    expect(() => new EncryptionService({ url: 'https://a.example', apiKey })).toThrow(new TypeError(message));
  },
);

test('the credential is not shown when the service object is printed', () => {
  const service = new EncryptionService({ url: 'https://a.example', apiKey: API_KEY });
  expect(inspect(service, { depth: null, showHidden: true })).not.toContain(API_KEY);
  expect(JSON.stringify(service)).not.toContain(API_KEY);
});

describe('the deadline', () => {
  test.each([
    ['the service object', { timeoutMs: 50 }, {}],
    ['the call, which takes precedence,', { timeoutMs: 2 ** 40 }, { timeoutMs: 50 }],
  ])('the deadline of %s ends a call that is not answered', async (_, ofService, ofCall) => {
    server.play(silence);
    const send = vi.spyOn(globalThis, 'fetch');
    const error = await failureOf(connect(ofService).getKey(KEY.id, ofCall));
    expect(error).toMatchObject({ code: 'deadline_exceeded', status: undefined, retryable: true });
    expect(error.requestId).toBe(new Headers(send.mock.calls[0]?.[1]?.headers).get('x-request-id'));
  });

  test('the deadline covers all attempts, and a call ends with its last error if the next pause would exceed the deadline', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    vi.spyOn(performance, 'now').mockImplementation(() => server.requests.length * 33_100);
    server.play(refuse(503, 'unavailable'));
    const error = await failureOf(connect({ timeoutMs: 100_000, maxRetries: 1_000 }).getKey(KEY.id));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    // The third attempt ends after 99.3 seconds. The next pause takes 0.8 seconds.
    expect(server.requests).toHaveLength(3);
  });

  test('a rotation that exceeds the deadline is not retryable, because the service may have rotated the key', async () => {
    server.play(silence);
    const error = await failureOf(connect({ timeoutMs: 50 }).rotateKey(KEY.id));
    expect(error).toMatchObject({ code: 'deadline_exceeded', retryable: false });
  });

  test('the deadline includes the wait for the access token', async () => {
    const accessToken = () => new Promise<string>(() => undefined);
    const service = new EncryptionService({ url: server.url, accessToken, timeoutMs: 50 });
    expect(await failureOf(service.listKeys())).toMatchObject({ code: 'deadline_exceeded' });
    expect(server.requests).toEqual([]);
  });
});

describe('an aborted signal', () => {
  test.each([
    ['before the call starts', true, 0],
    ['during the call', false, 1],
  ])('if a signal aborts %s, the call fails, and the signal’s reason is the cause', async (_, isEarly, requests) => {
    const controller = new AbortController();
    if (isEarly) controller.abort('closing');
    server.play(() => controller.abort('closing'));
    const error = await failureOf(connect().getKey(KEY.id, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted', retryable: false, cause: 'closing' });
    expect(server.requests).toHaveLength(requests);
  });

  test('an aborted signal ends a call in the pause before a retry', async () => {
    const controller = new AbortController();
    // The client draws the length of the pause just before the pause begins.
    vi.spyOn(Math, 'random').mockImplementation(() => {
      setImmediate(() => controller.abort());
      return 0.999;
    });
    server.play(refuse(503, 'unavailable'));
    const error = await failureOf(connect().getKey(KEY.id, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  test('an aborted signal ends the reading of a list between two pages', async () => {
    const controller = new AbortController();
    server.play(answer(200, [], { link: '</v1/audit?cursor=a>; rel="next"' }), (response, request) => {
      controller.abort();
      answer(200, [])(response, request);
    });
    const all = Array.fromAsync(connect().readAudit({}, { signal: controller.signal }));
    expect(await failureOf(all)).toMatchObject({ code: 'aborted' });
  });

  test('a call that has ended leaves no listener on the signal', async () => {
    server.play(answer(200, KEY_JSON));
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await connect().getKey(KEY.id, { signal });
    expect(added).toHaveBeenCalled();
    const listeners = (calls: unknown[][]) => calls.map(([, listener]) => listener);
    expect(listeners(removed.mock.calls)).toEqual(listeners(added.mock.calls));
  });
});

describe('the format of requests and answers', () => {
  const FORMATS = { bytes: ['plaintext', 'aad'], times: ['created_at', 'destroy_after'], json: ['after'] };

  test('bytes, up to the largest plaintext, are encoded as standard base64 with padding, and decoded again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(toBase64(bytes)).toBe(text);
        expect(fromBase64(text)).toEqual(Uint8Array.from(bytes));
      }),
      { examples: [[new Uint8Array(65_536).map((_, at) => at % 251)]] },
    );
    expect(() => fromBase64('a*b=')).toThrow();
  });

  const aad = new TextEncoder().encode('order 42');
  test.each([
    [{ plaintext: Buffer.from('Hello'), aad }, '{"plaintext":"SGVsbG8=","aad":"b3JkZXIgNDI="}'],
    [{ plaintext: new Uint8Array(1), aad: null }, '{"plaintext":"AA==","aad":null}'],
    [{ plaintext: new Uint8Array(1), aad: undefined }, '{"plaintext":"AA=="}'],
  ])('bytes are sent in base64, and null and undefined unchanged: %j', (body, sent) => {
    expect(encodeBody(body, FORMATS)).toBe(sent);
  });

  test.each(['SGVsbG8=', [72, 101], new ArrayBuffer(2), {}, 7])(
    'the value %j is refused in a field for bytes',
    (plaintext) => {
      expect(() => encodeBody({ plaintext }, FORMATS)).toThrow(new TypeError('plaintext must be a Uint8Array'));
    },
  );

  test.each([new Date(Number.NaN), Number.NaN, Number.NEGATIVE_INFINITY])(
    'the value %s is refused, because JSON has only null for it, which removes a limit',
    (expires_at) => {
      const failure = new TypeError('expires_at must be a valid time or a finite number');
      for (const body of [{ expires_at }, { claims: [{ expires_at }] }])
        expect(() => encodeBody(body, FORMATS)).toThrow(failure);
    },
  );

  test('base64 fields and timestamps are decoded at any depth of an answer; other text and an unset time are unchanged', () => {
    const times = { name: '2026-11-20T10:11:12Z', versions: [{ created_at: '2026-11-20T10:11:12.123456Z' }] };
    const json = JSON.stringify({ ...times, aad: 'AAE=', destroy_after: null });
    expect(decodeAnswer(json, FORMATS)).toEqual({
      name: '2026-11-20T10:11:12Z',
      versions: [{ created_at: new Date('2026-11-20T10:11:12.123Z') }],
      aad: Uint8Array.of(0, 1),
      destroy_after: null,
    });
  });

  test.each(['{"created_at":"soon"}', '{"aad":"?"}', '{"aad"', ''])(
    'an answer with invalid JSON or an invalid field value is refused: %j',
    (json) => {
      expect(() => decodeAnswer(json, FORMATS)).toThrow();
    },
  );

  test('a timestamp is a Date that keeps its microseconds in JSON and in a query, until it is changed', () => {
    const time = new Timestamp('2026-11-20T10:11:12.123456Z');
    expect(time).toBeInstanceOf(Date);
    expect(time.getTime()).toBe(Date.UTC(2026, 10, 20, 10, 11, 12, 123));
    expect(JSON.stringify({ time })).toBe('{"time":"2026-11-20T10:11:12.123456Z"}');
    expect(encodeQuery({ since: time })).toBe('?since=2026-11-20T10%3A11%3A12.123456Z');
    time.setUTCFullYear(2027);
    expect(time.toJSON()).toBe('2027-11-20T10:11:12.123Z');
  });

  test('a query string contains the escaped parameters, and is empty if there are no parameters', () => {
    expect(encodeQuery({ limit: 10, operation: 'a b&c', until: undefined })).toBe('?limit=10&operation=a+b%26c');
    expect(encodeQuery({ until: undefined })).toBe('');
    expect(encodeQuery()).toBe('');
  });
});
