import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { makeLog } from '../../../shared/base/log.ts';
import { makeServer, type ServerSettings } from '../../../shared/http/server.ts';
import { listen } from '../../support/second-service.ts';

/** Time limits in milliseconds, far shorter than in production, so that tests need not wait. */
const SHORT_TIMEOUTS = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };
const LONG_TIMEOUTS = { headersTimeout: 60_000, requestTimeout: 60_000, connectionsCheckingInterval: 60_000 };

const line = z.looseObject({ severity: z.string(), message: z.string() });

/** Starts a server. `send` sends bytes and returns everything received until the connection closes. */
async function start(listener: RequestListener, timeouts: NonNullable<ServerSettings['timeouts']>) {
  const logged: z.output<typeof line>[] = [];
  const log = makeLog((text) => void logged.push(line.parse(JSON.parse(text))));
  const server: Server = makeServer(listener, log, { timeouts });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const send = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return text(socket);
  };
  return { send, logged };
}

const neverAnswers: RequestListener = () => undefined;
const answersAtOnce: RequestListener = (_, response) => void response.end('answered');
const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n';

/** Expects a single error response, and a log line with the same request id. */
function expectRefusal(received: string, logged: readonly unknown[], status: number, code: string): void {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const [, id] = /^x-request-id: (.+)$/m.exec(head) ?? [];
  expect(head).toMatch(/^connection: close$/m);
  expect(JSON.parse(body)).toEqual({ error: code, message: expect.any(String), request_id: id });
  expect(logged).toEqual([
    expect.objectContaining({
      severity: 'INFO',
      message: 'request refused before routing',
      request_id: id,
      status,
      code,
    }),
  ]);
}

test.each([
  ['a head that does not end in time', 'GET / HTTP/1.1\r\nhost: x\r\nx-a:', 'ERR_HTTP_REQUEST_TIMEOUT'],
  ['an unanswered request whose body does not end in time', POST, 'ERR_HTTP_REQUEST_TIMEOUT'],
  ['a request that is not HTTP', 'nonsense\r\n\r\n', 'HPE_INVALID_METHOD'],
  ['a head that is too large', `GET / HTTP/1.1\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
])('%s is refused once and logged with its request id', async (_, bytes, cause) => {
  const { send, logged } = await start(neverAnswers, SHORT_TIMEOUTS);
  expectRefusal(await send(bytes), logged, 400, 'invalid_request');
  expect(logged[0]?.error).toContain(cause);
});

test('a CONNECT request is refused and logged with its request id', async () => {
  const { send, logged } = await start(neverAnswers, LONG_TIMEOUTS);
  expectRefusal(await send('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n'), logged, 404, 'not_found');
});

test('a connection without data is closed without an answer', async () => {
  const { send, logged } = await start(neverAnswers, SHORT_TIMEOUTS);
  expect(await send('')).toBe('');
  expect(logged).toEqual([]);
});

test.each([
  ['never arrives', ''],
  ['is malformed', 'transfer'],
])('a request that was answered early is not answered again if the rest of its body %s', async (_, rest) => {
  const { send, logged } = await start(answersAtOnce, SHORT_TIMEOUTS);
  const chunked = POST.replace('content-length: 9', 'transfer-encoding: chunked');
  const received = await send(rest === '' ? POST : `${chunked}${rest}\r\n`);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(logged).toEqual([]);
});

test('an unfinished second request on a connection is refused like an unfinished first request', async () => {
  const { send, logged } = await start(answersAtOnce, SHORT_TIMEOUTS);
  const received = await send('GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost:');
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(logged).toHaveLength(1);
});

test('the server keeps an idle connection for longer than the ten minutes of Google’s front end', async () => {
  const { send } = await start(answersAtOnce, SHORT_TIMEOUTS);
  // The second request is incomplete, so that the server closes the connection.
  const received = await send('GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost:');
  const [, seconds] = /^keep-alive: timeout=(\d+)/im.exec(received) ?? [];
  expect(Number(seconds)).toBeGreaterThan(600);
});
