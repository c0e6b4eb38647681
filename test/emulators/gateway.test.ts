import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { functionsOf, readOperations } from '../../emulators/gateway/routing.ts';
import { type Gateway, startGateway } from '../../emulators/gateway/server.ts';
import { NOWHERE } from '../support/client.ts';
import { type RawAnswer, sendBytes, sendRaw } from '../support/raw.ts';
import { listen } from '../support/second-service.ts';

// The behavior of API Gateway on which the service relies. `emulators/gateway/README.md` names the sources.

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
    const body = path.startsWith('/early') ? '' : await text(message);
    response.setHeader('x-answered-by', by).end(JSON.stringify({ by, method, url, headers, body }));
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

test('a connection that sends nothing does not keep the gateway from stopping', async () => {
  const stopping = await startGateway({ port: 0, operations: [], idToken: async () => 'none' });
  const socket = connect(stopping.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stopped = stopping.stop();
  vi.advanceTimersByTime(10_000);
  await stopped;
  expect(await text(socket)).toBe('');
});

test('a gateway document names its functions, and one with an unsupported feature is refused', () => {
  expect(functionsOf(DOCUMENT)).toEqual(['one', 'two', 'rest', 'gone']);
  for (const text of [
    DOCUMENT.replaceAll('one', 'unknown'),
    DOCUMENT.replace('APPEND_PATH_TO_ADDRESS', 'CONSTANT_ADDRESS'),
    DOCUMENT.replace('"2.0"', '"3.0"'),
  ]) {
    expect(() => readOperations(text, addresses)).toThrow();
  }
});

test.each([
  ['GET /things/1', 'one', '/things/1'],
  ['POST /things/1', 'one', '/things/1'],
  ['GET /things/1/', 'one', '/things/1/'],
  ['GET /things/1?x=/files/1', 'one', '/things/1?x=/files/1'],
  ['GET /things/1/parts/2', 'one', '/things/1/parts/2'],
  ['GET /things/a%2Fb', 'one', '/things/a%2Fb'],
  ['GET /things/special', 'two', '/things/special'],
  ['GET /files/', 'two', '/files/'],
  ['GET /files/a/b/c', 'two', '/files/a/b/c'],
  ['GET /files', 'rest', '/files'],
  ['GET /things/', 'rest', '/things/'],
  ['GET /things/1/parts', 'rest', '/things/1/parts'],
  ['GET /THINGS/1', 'rest', '/THINGS/1'],
  ['PUT /things/1', 'rest', '/things/1'],
  ['GET /a/b?c=//d/../e', 'rest', '/a/b?c=//d/../e'],
  ['GET /a?', 'rest', '/a?'],
  ['GET //a///b', 'rest', '/a/b'],
  ['GET /a/./b', 'rest', '/a/b'],
  ['GET /a/../b', 'rest', '/b'],
  ['GET /../b', 'rest', '/b'],
  ['GET /a/%2e%2E/b', 'rest', '/b'],
  ['GET /%61%7e', 'rest', '/a~'],
  ['GET /a%2fb%20', 'rest', '/a%2fb%20'],
  ['GET /a/%zz%00', 'rest', '/a/%zz%00'],
  ['GET http://example.com/a', 'rest', '/a'],
])('the gateway sends “%s” to the function “%s” with the path %s', async (start, by, url) => {
  expect(seen(await send(start))).toMatchObject({ by, url });
});

const CREDENTIAL = 'x-forwarded-authorization';
test.each([
  ['none', [], undefined],
  ['authorization', ['authorization: Bearer mine'], ['Bearer mine']],
  ['both', ['authorization: Bearer mine', `${CREDENTIAL}: Bearer other`], ['Bearer mine']],
  ['only the forwarded header', [`${CREDENTIAL}: Bearer other`], ['Bearer other']],
  ['two', ['authorization: Bearer a', 'Authorization: Bearer b'], ['Bearer a,Bearer b']],
])('with the credentials “%s”, a function gets an ID token and the caller’s', async (_, sent, credential) => {
  const { headers } = seen(await send('GET /things/1', sent));
  expect(headers.authorization).toEqual([`Bearer id-token-for-${addresses.one}`]);
  expect(headers[CREDENTIAL]).toEqual(credential);
  expect(headers.host).toEqual([new URL(addresses.one ?? '').host]);
});

test('the caller’s address is appended to X-Forwarded-For, and most other headers pass unchanged', async () => {
  const sent = ['x-forwarded-for: 192.0.2.1', 'x-a: 1', 'X-A: 2', 'te: trailers'];
  const answer = await send('GET /things/1', sent);
  const { headers } = seen(answer);
  expect(headers).toMatchObject({ 'x-forwarded-for': ['192.0.2.1,127.0.0.1'], 'x-a': ['1', '2'] });
  expect(headers.te).toBeUndefined();
  expect(answer.headers.get('x-answered-by')).toBe('one');
  expect(seen(await send('GET /things/1')).headers['x-forwarded-for']).toEqual(['127.0.0.1']);
});

test('the gateway passes on a body unchanged, whether it has a length, comes in chunks or is missing', async () => {
  const long = 'x'.repeat(100_000);
  expect(seen(await send('POST /things/1', ['content-length: 100000'], long)).body).toBe(long);
  const chunked = ['transfer-encoding: chunked'];
  expect(seen(await send('POST /things/1', chunked, '5\r\nhello\r\n0\r\n\r\n')).body).toBe('hello');
  const { headers, body } = seen(await send('POST /things/1'));
  expect([headers['content-length'] ?? ['0'], headers['transfer-encoding'], body]).toEqual([['0'], undefined, '']);
});

test('if the function answers before the end of an upload, the gateway closes the connection', async () => {
  const answer = await send('POST /early', ['content-length: 1000'], 'x');
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
});

const METHOD =
  'The current request is matched to the defined url template "/things/special" but its http method is not allowed';
test.each([
  ['a method that the path does not have', 'DELETE /things/special', [], 405, METHOD],
  ['a fragment', 'PUT /a#b', [], 400, 'Bad Request'],
  ['no path', 'PUT *', [], 400, 'Bad Request'],
  ['an underscore in the name of a header', 'GET /things/1', ['x_a: 1'], 400, 'Bad Request'],
  ['a body over 32 MiB', 'POST /things/1', [`content-length: ${32 * 1024 * 1024 + 1}`], 413, 'Payload Too Large'],
  ['a function that does not answer in time', 'GET /never', [], 504, 'upstream request timeout'],
  ['a function that cannot be reached', 'GET /gone', [], 503, expect.stringContaining('upstream connect error')],
])('the gateway answers a request with %s itself', async (_, start, headers, status, message) => {
  const answer = await send(start, headers);
  expect([answer.status, answer.body]).toEqual([status, { code: status, message }]);
});

test('the gateway answers with 404 if the path is not in its document', async () => {
  const some = readOperations(DOCUMENT, addresses).filter(({ template }) => template === '/things/{id}');
  const narrow = await startGateway({ port: 0, operations: some, idToken: async () => '' });
  const answer = await sendRaw({ baseUrl: `http://127.0.0.1:${narrow.port}`, controlUrl: '' }, 'GET /nothing');
  await narrow.stop();
  const message = 'The current request is not defined by this API.';
  expect([answer.status, answer.body]).toEqual([404, { code: 404, message }]);
});

test.each([
  ['without a host', ['GET /things/1 HTTP/1.1', 'connection: close', '', ''], 400],
  ['that is not HTTP', ['hello', '', ''], 400],
  ['with a head over 60 KiB', [`GET / HTTP/1.1`, `x: ${'x'.repeat(62_000)}`, '', ''], 431],
  ['with the method CONNECT', ['CONNECT example.com:443 HTTP/1.1', 'host: example.com', '', ''], 404],
])('no function receives a request %s', async (_, lines, status) => {
  const answer = await sendBytes(at, lines);
  expect([answer.status, answer.body]).toMatchObject([status, { code: status }]);
});

const long = 'x'.repeat(4 * 1024 * 1024);
test.each([
  ['once: the request is sent again, even a POST', 'POST /reset/once', 'hello', 200, 2],
  ['twice: there is no third attempt', 'GET /reset/always', '', 503, 2],
  ['and the body was too large to keep: there is no second attempt', 'POST /reset/late', long, 503, 1],
])('if the connection to the function breaks %s', async (_, start, body, status, count) => {
  const answer = await send(start, [`content-length: ${body.length}`], body);
  expect([answer.status, requests[start.split(' ')[1] ?? '']]).toEqual([status, count]);
  if (status === 200) expect(seen(answer).body).toBe(body);
});
