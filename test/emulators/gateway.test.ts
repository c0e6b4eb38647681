import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { functionsOf, readOperations } from '../../emulators/gateway/document.ts';
import { type Gateway, startGateway } from '../../emulators/gateway/server.ts';
import { NOWHERE } from '../support/nowhere.ts';
import { type RawAnswer, sendBytes, sendRaw } from '../support/raw.ts';
import { listen } from '../support/second-service.ts';

/** A request as a function received it. The functions in this test answer with the request. */
const received = z.object({
  by: z.string(),
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.array(z.string())),
  body: z.string(),
});

/** Counts the requests to each path on which a function resets the connection. */
const requests: Record<string, number> = {};

const echo =
  (by: string): RequestListener =>
  async (message, response) => {
    const path = message.url ?? '';
    if (path.startsWith('/never')) return;
    if (path.startsWith('/reset')) {
      requests[path] = (requests[path] ?? 0) + 1;
      if (path !== '/reset/once' || requests[path] === 1) {
        await text(message);
        return void message.socket.destroy();
      }
    }
    const { method, url, headersDistinct: headers } = message;
    const body = message.url?.startsWith('/early') ? '' : await text(message);
    response.setHeader('x-answered-by', by);
    response.end(JSON.stringify({ by, method, url, headers, body }));
  };

const to = (name: string, deadline = 30) => ({
  'x-google-backend': {
    address: `\${${name}}`,
    jwt_audience: `\${${name}}`,
    path_translation: 'APPEND_PATH_TO_ADDRESS',
    deadline,
  },
});
const DOCUMENT = JSON.stringify({
  swagger: '2.0',
  paths: {
    '/things/{id}': { get: to('one'), post: to('one') },
    '/things/{id}/parts/{part=*}': { get: to('one') },
    '/things/special': { get: to('two') },
    '/files/{path=**}': { get: to('two') },
    '/{path=**}': { get: to('rest'), put: to('rest') },
    '/never': { get: to('one', 0.05) },
    '/early': { post: to('one') },
    '/gone': { get: to('gone') },
    '/reset/{times}': { get: to('one'), post: to('one') },
  },
});

const servers = ['one', 'two', 'rest'].map((name) => ({ name, server: createServer(echo(name)) }));
const addresses: Record<string, string> = {};
let gateway: Gateway;
let at: { baseUrl: string; controlUrl: string };

beforeAll(async () => {
  for (const { name, server } of servers) addresses[name] = `http://127.0.0.1:${await listen(server)}`;
  addresses.gone = NOWHERE;
  gateway = await startGateway({
    port: 0,
    operations: readOperations(DOCUMENT, addresses),
    idToken: async (audience) => `id-token-for-${audience}`,
  });
  at = { baseUrl: `http://127.0.0.1:${gateway.port}`, controlUrl: '' };
});
afterAll(async () => {
  await gateway.stop();
  for (const { server } of servers) server.close().closeAllConnections();
});

const send = (start: string, headers: readonly string[] = [], body = '') => sendRaw(at, start, headers, body);
const seen = (answer: RawAnswer) => received.parse(answer.body);

test('the placeholders in a gateway document are read as the names of its functions', () => {
  expect(functionsOf(DOCUMENT)).toEqual(['one', 'two', 'rest', 'gone']);
});

test.each([
  ['a placeholder without an address', DOCUMENT.replaceAll('one', 'unknown')],
  [
    'a path translation other than APPEND_PATH_TO_ADDRESS',
    DOCUMENT.replace('APPEND_PATH_TO_ADDRESS', 'CONSTANT_ADDRESS'),
  ],
  ['an OpenAPI version other than 2.0', DOCUMENT.replace('"2.0"', '"3.0"')],
])('a gateway document with %s is refused', (_, text) => {
  expect(() => readOperations(text, addresses)).toThrow();
});

describe('routing', () => {
  test.each([
    ['GET /things/1', 'one'],
    ['POST /things/1', 'one'],
    ['GET /things/1/', 'one'],
    ['GET /things/1?x=/files/1', 'one'],
    ['GET /things/1/parts/2', 'one'],
    ['GET /things/a%2Fb', 'one'],
    ['GET /things/special', 'two'],
    ['GET /files/', 'two'],
    ['GET /files/a/b/c', 'two'],
    ['GET /files', 'rest'],
    ['GET /things', 'rest'],
    ['GET /things/', 'rest'],
    ['GET /things/1/parts', 'rest'],
    ['GET /things/1/2/3', 'rest'],
    ['GET /THINGS/1', 'rest'],
    ['GET /', 'rest'],
    ['PUT /things/1', 'rest'],
    ['PUT /files/1', 'rest'],
  ])('the gateway sends %s to the function “%s”', async (start, by) => {
    expect(seen(await send(start)).by).toBe(by);
  });

  test('the gateway answers with 405 if the path exists but not with this method', async () => {
    const answer = await send('DELETE /things/special');
    expect([answer.status, answer.body]).toEqual([
      405,
      {
        code: 405,
        message:
          'The current request is matched to the defined url template "/things/special" but its http method is not allowed',
      },
    ]);
  });

  test('the gateway answers with 404 if the path is not in its document', async () => {
    const some = readOperations(DOCUMENT, addresses).filter(({ template }) => template === '/things/{id}');
    const narrow = await startGateway({ port: 0, operations: some, idToken: async () => '' });
    const answer = await sendRaw({ baseUrl: `http://127.0.0.1:${narrow.port}`, controlUrl: '' }, 'GET /nothing');
    await narrow.stop();
    expect([answer.status, answer.body]).toEqual([
      404,
      { code: 404, message: 'The current request is not defined by this API.' },
    ]);
  });
});

describe('the path that a function receives', () => {
  test.each([
    ['/a/b?c=//d/../e', '/a/b?c=//d/../e'],
    ['/a?', '/a?'],
    ['//a///b', '/a/b'],
    ['/a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/../b', '/b'],
    ['/a/%2e%2E/b', '/b'],
    ['/%61%7e', '/a~'],
    ['/a%2fb%20', '/a%2fb%20'],
    ['/a/%zz%00', '/a/%zz%00'],
    ['http://example.com/a', '/a'],
  ])('for the path %s a function receives %s', async (target, url) => {
    expect(seen(await send(`GET ${target}`)).url).toBe(url);
  });

  test.each(['/a#b', 'a', '*'])('the gateway answers the invalid path %s with 400', async (target) => {
    expect((await send(`PUT ${target}`)).body).toEqual({ code: 400, message: 'Bad Request' });
  });
});

describe('the headers that a function receives', () => {
  const headersFor = async (...headers: string[]) => seen(await send('GET /things/1', headers)).headers;

  test('a function receives the gateway’s ID token, and the caller’s credential in another header', async () => {
    const headers = await headersFor('authorization: Bearer of-the-caller');
    expect(headers.authorization).toEqual([`Bearer id-token-for-${addresses.one}`]);
    expect(headers['x-forwarded-authorization']).toEqual(['Bearer of-the-caller']);
    expect(headers.host).toEqual([new URL(addresses.one ?? '').host]);
  });

  test('the caller’s Authorization replaces an X-Forwarded-Authorization that the caller sends', async () => {
    const headers = await headersFor('authorization: Bearer mine', 'x-forwarded-authorization: Bearer other');
    expect(headers['x-forwarded-authorization']).toEqual(['Bearer mine']);
  });

  test('an X-Forwarded-Authorization from the caller is kept if the caller sends no Authorization', async () => {
    const headers = await headersFor('x-forwarded-authorization: Bearer other');
    expect(headers.authorization).toEqual([`Bearer id-token-for-${addresses.one}`]);
    expect(headers['x-forwarded-authorization']).toEqual(['Bearer other']);
  });

  test('a credential that was sent twice arrives as a single invalid value', async () => {
    const headers = await headersFor('authorization: Bearer a', 'Authorization: Bearer b');
    expect(headers['x-forwarded-authorization']).toEqual(['Bearer a,Bearer b']);
  });

  test('the caller’s address is appended to X-Forwarded-For', async () => {
    expect((await headersFor())['x-forwarded-for']).toEqual(['127.0.0.1']);
    expect((await headersFor('x-forwarded-for: 192.0.2.1'))['x-forwarded-for']).toEqual(['192.0.2.1,127.0.0.1']);
  });

  test('the gateway passes on most headers unchanged, even repeated headers, but no headers about the connection', async () => {
    const headers = await headersFor('x-a: 1', 'X-A: 2', 'te: trailers', 'x-request-id: r');
    expect(headers).toMatchObject({ 'x-a': ['1', '2'], 'x-request-id': ['r'] });
    expect(headers.te).toBeUndefined();
  });

  test('the gateway answers with 400 if the name of a header has an underscore', async () => {
    const answer = await send('GET /things/1', ['x_a: 1']);
    expect([answer.status, answer.body]).toEqual([400, { code: 400, message: 'Bad Request' }]);
  });
});

describe('bodies', () => {
  test('the gateway passes on a body unchanged, whether it has a length or comes in chunks', async () => {
    const long = 'x'.repeat(100_000);
    expect(seen(await send('POST /things/1', ['content-length: 100000'], long)).body).toBe(long);
    const chunked = ['transfer-encoding: chunked'];
    expect(seen(await send('POST /things/1', chunked, '5\r\nhello\r\n0\r\n\r\n')).body).toBe('hello');
  });

  test('a request without a body reaches the function without a body', async () => {
    const { headers, body } = seen(await send('POST /things/1'));
    expect([headers['content-length'] ?? ['0'], headers['transfer-encoding'], body]).toEqual([['0'], undefined, '']);
  });

  test('the gateway answers with 413 if a body is over 32 MiB', async () => {
    const answer = await send('POST /things/1', [`content-length: ${32 * 1024 * 1024 + 1}`]);
    expect([answer.status, answer.body]).toEqual([413, { code: 413, message: 'Payload Too Large' }]);
  });

  test('if the function answers before the end of an upload, the gateway closes the connection', async () => {
    const answer = await send('POST /early', ['content-length: 1000'], 'x');
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  });
});

describe('the gateway’s answers for a slow, missing or failing function', () => {
  test('the gateway answers with 504 if the function does not answer in time', async () => {
    const answer = await send('GET /never');
    expect([answer.status, answer.body]).toEqual([504, { code: 504, message: 'upstream request timeout' }]);
  });

  test('the gateway answers with 503 if nothing listens at the function’s address', async () => {
    const answer = await send('GET /gone');
    expect([answer.status, answer.body]).toMatchObject([503, { code: 503 }]);
  });

  test('if the connection to a function breaks twice, the gateway answers with 503 and makes no third attempt', async () => {
    const answer = await send('GET /reset/always');
    expect([answer.status, answer.body, requests['/reset/always']]).toMatchObject([503, { code: 503 }, 2]);
  });

  test('if the connection to the function breaks once, the gateway retries the request, even a POST with its body', async () => {
    const answer = await send('POST /reset/once', ['content-length: 5'], 'hello');
    expect([seen(answer).body, requests['/reset/once']]).toEqual(['hello', 2]);
  });

  test('if the connection to the function breaks and the body was too large to keep for a retry, the gateway answers with 503', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024);
    const answer = await send('POST /reset/late', [`content-length: ${long.length}`], long);
    expect([answer.status, requests['/reset/late']]).toEqual([503, 1]);
  });

  test('the headers of a function’s answer pass through the gateway', async () => {
    expect((await send('GET /things/1')).headers.get('x-answered-by')).toBe('one');
  });
});

describe('requests that no function receives', () => {
  test.each([
    ['a request without a host', ['GET /things/1 HTTP/1.1', 'connection: close', '', ''], 400],
    ['a request that is not HTTP', ['hello', '', ''], 400],
    ['a head over 60 KiB', [`GET / HTTP/1.1`, `x: ${'x'.repeat(62_000)}`, '', ''], 431],
    ['a CONNECT request', ['CONNECT example.com:443 HTTP/1.1', 'host: example.com', '', ''], 404],
  ])('%s is refused by the gateway', async (_, lines, status) => {
    const answer = await sendBytes(at, lines);
    expect([answer.status, answer.body]).toMatchObject([status, { code: status }]);
  });
});
