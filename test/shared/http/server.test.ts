import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { portOf } from '../../../emulators/base/listen.ts';
import { type Log, makeLog } from '../../../shared/base/log.ts';
import { readConfig } from '../../../shared/config.ts';
import { makeDrain } from '../../../shared/http/drain.ts';
import { admitInvoker } from '../../../shared/http/invoked.ts';
import { Routes } from '../../../shared/http/pipeline.ts';
import type { Request } from '../../../shared/http/request.ts';
import type { Reply } from '../../../shared/http/route.ts';
import { makeListener } from '../../../shared/http/serve.ts';
import { makeServer } from '../../../shared/http/server.ts';
import { begin, streamLines, streamList } from '../../../shared/http/streamed.ts';
import { NO_METRICS } from '../../../shared/telemetry/metrics.ts';
import { listen } from '../../support/second-service.ts';
import { INVOKER, MINIMAL } from '../environment.ts';
import { withServer } from './exchange.ts';

/** Time limits in milliseconds. Tests end them with `expire`. */
const TIMEOUTS = { headersTimeout: 600_000, requestTimeout: 600_000, connectionsCheckingInterval: 20 };

const line = z.looseObject({ severity: z.string(), message: z.string() });

/**
 * Starts a server. `send` sends bytes and returns everything received until the connection closes. After the first
 * answer, it sends what `then` returns. `expire` ends the server's patience, and `expireOnData` ends it after the first
 * data.
 */
async function start(listener: RequestListener) {
  const logged: z.output<typeof line>[] = [];
  const log = makeLog((text) => void logged.push(line.parse(JSON.parse(text))));
  const server: Server = makeServer(listener, log, { timeouts: TIMEOUTS });
  // The other tests' `listen` would replace the time for which the server keeps idle connections.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const send = async (bytes: string, then?: () => string) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.write(bytes);
    let received = '';
    socket.on('data', (text) => {
      if (received === '' && then !== undefined) socket.write(then());
      received += text;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    return received;
  };
  const expire = () => {
    server.headersTimeout = 1;
    server.requestTimeout = 1;
  };
  const expireOnData = () => void server.on('connection', (socket) => socket.once('data', expire));
  return { send, expire, expireOnData, logged };
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
  const { send, expireOnData, logged } = await start(neverAnswers);
  if (cause === 'ERR_HTTP_REQUEST_TIMEOUT') expireOnData();
  expectRefusal(await send(bytes), logged, 400, 'invalid_request');
  expect(logged[0]?.error).toContain(cause);
});

test('a CONNECT request is refused and logged with its request id', async () => {
  const { send, logged } = await start(neverAnswers);
  expectRefusal(await send('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n'), logged, 404, 'not_found');
});

test('a connection without data is closed without an answer', async () => {
  const { send, expire, logged } = await start(neverAnswers);
  expire();
  expect(await send('')).toBe('');
  expect(logged).toEqual([]);
});

test('a request that was answered early is not answered again if the rest of its body never arrives', async () => {
  const { send, expire, logged } = await start(answersAtOnce);
  const received = await send(POST, () => {
    expire();
    return '';
  });
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(logged).toEqual([]);
});

test('a request that was answered early is not answered again if the rest of its body is malformed', async () => {
  const { send, logged } = await start(answersAtOnce);
  const chunked = POST.replace('content-length: 9', 'transfer-encoding: chunked');
  expect((await send(chunked, () => 'transfer\r\n')).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(logged).toEqual([]);
});

test('an unfinished second request on a connection is refused like an unfinished first request', async () => {
  const { send, expire, logged } = await start(answersAtOnce);
  const received = await send('GET / HTTP/1.1\r\nhost: x\r\n\r\n', () => {
    expire();
    return 'GET / HTTP/1.1\r\nhost:';
  });
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(logged).toHaveLength(1);
});

test('the server keeps an idle connection for longer than the ten minutes of Google’s front end', async () => {
  const { send } = await start(answersAtOnce);
  // The second request is malformed, so that the server closes the connection.
  const received = await send('GET / HTTP/1.1\r\nhost: x\r\n\r\n', () => 'nonsense\r\n\r\n');
  const [, seconds] = /^keep-alive: timeout=(\d+)/im.exec(received) ?? [];
  expect(Number(seconds)).toBeGreaterThan(600);
});

afterEach(() => void vi.useRealTimers());

test('a process exits although its last step before the exit never ends', async () => {
  const server = createServer();
  await listen(server);
  const exit = vi.fn();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const begun = Promise.withResolvers<void>();
  const neverEnds = () => {
    begun.resolve();
    return Promise.withResolvers<void>().promise;
  };
  makeDrain(server, neverEnds, exit)();
  await vi.advanceTimersByTimeAsync(500);
  await begun.promise;
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(exit).toHaveBeenCalledOnce();
});

const { description } = new Routes([]).openRoute({
  ...{ id: 'large', path: '/', summary: 'a large answer', description: 'It is large.', tag: 'Health', statuses: [200] },
  answer: z.string(),
  respond: async () => ({ status: 200, body: '' }),
});

/** Serves one route with the service’s listener. */
function serveRoute<T>(respond: (request: Request) => Promise<Reply>, log: Log, use: (port: number) => Promise<T>) {
  const services = { config: readConfig(MINIMAL), log, metrics: NO_METRICS };
  return withServer(
    makeListener(services, async () => ({ route: { description, respond }, pathId: '' })),
    use,
  );
}

/** Sends a request whose answer the client does not read. */
function requestUnread(port: number): Socket {
  const client = connect(port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return client;
}

/** A text that is longer than the kernel’s buffers at both ends of a connection. */
const text = 'x'.repeat(16 * 1024 * 1024);

/** Answers a request of one tenant while the client’s socket is paused. */
function answerUnread(use: (request: Request, client: Socket) => Promise<void>): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const received = Promise.withResolvers<Request>();
  const respond = async (request: Request) => {
    request.turns.set('tenant-1', await request.inFlight.tenants.take('tenant-1'));
    received.resolve(request);
    return { status: 200, text };
  };
  const log = makeLog(() => answered.resolve());
  return serveRoute(respond, log, async (port) => {
    const client = requestUnread(port);
    await answered.promise;
    await use(await received.promise, client);
  });
}

function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('if a client has not received an answer after 20 seconds, the answer is dropped and the connection closed', async () => {
  stopTimers();
  await answerUnread(async ({ message: { socket } }) => {
    vi.advanceTimersByTime(19_999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
  });
});

test('a connection stays open if the client has received the answer', async () => {
  stopTimers();
  await answerUnread(async ({ message: { socket }, ended }, client) => {
    client.resume();
    await ended;
    vi.advanceTimersByTime(60_000);
    expect(socket.destroyed).toBe(false);
  });
});

test.each<[string, (client: Socket) => unknown]>([
  ['its client receives the answer', (client) => client.resume()],
  ['its client closes the connection', (client) => client.destroy()],
])('a request counts against its sender’s quota of requests in flight until %s', async (_, act) => {
  await answerUnread(async ({ inFlight: { tenants }, ended }, client) => {
    for (let others = 0; others < 383; others++) await tenants.take('tenant-1');
    await expect(tenants.take('tenant-1')).rejects.toThrow('too many requests in progress');
    act(client);
    await ended;
    await tenants.take('tenant-1');
  });
});

const config = readConfig({ ...MINIMAL, ...INVOKER });
const log = makeLog(() => undefined);

test.each([
  ['the liveness probe', '/health', {}, 200],
  ['a call with a wrong token', '/health', { authorization: 'Bearer x' }, 401],
  ['a call of another path', '/v1/keys', {}, 401],
])('a function with an invoker answers %s without doing its work', async (_, path, headers, status) => {
  let calls = 0;
  const listener = admitInvoker(config, log, () => void calls++);
  const answer = await withServer(listener, (port) => fetch(`http://127.0.0.1:${port}${path}`, { headers }));
  expect([answer.status, calls]).toEqual([status, 0]);
  expect(answer.headers.get('x-request-id')).toMatch(/./);
});

const PAGES = 600;
/** 100 lines of 100 characters. All pages together are larger than what is read before an answer begins. */
const page = Array.from({ length: 100 }, () => 'x'.repeat(100));

/** Yields `PAGES` pages, then throws if `fails`. `read` has the number of pages so far. */
function makeSource({ pages = PAGES, fails = false } = {}) {
  const source = { read: 0, ended: false };
  async function* lines() {
    try {
      for (; source.read < pages; source.read++) yield page;
      if (fails) throw new Error('the store failed');
    } finally {
      source.ended = true;
    }
  }
  return { source, lines: lines() };
}

/** Serves these lines as a list. `logged` has the log lines. */
function serving(lines: AsyncIterable<readonly string[]>, use: (port: number, logged: string[]) => Promise<void>) {
  const logged: string[] = [];
  const respond = async () => {
    const { pieces } = streamList(lines, (line) => line);
    return { status: 200, ...(await begin({ pieces }, (work) => work())) };
  };
  const log = makeLog((line) => logged.push(String(line)));
  return serveRoute(respond, log, (port) => use(port, logged));
}

test('a list that does not fit into memory is sent whole, in pieces', async () => {
  const { source, lines } = makeSource();
  await serving(lines, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.has('content-length')).toBe(false);
    const list = z.array(z.string()).parse(await response.json());
    expect([list.length, new Set(list)]).toEqual([PAGES * page.length, new Set(page)]);
    expect(source.ended).toBe(true);
  });
});

test('a list that fits into memory has a content-length', async () => {
  const { lines } = makeSource({ pages: 3 });
  await serving(lines, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(Number(response.headers.get('content-length'))).toBe((await response.text()).length);
  });
});

test('a list is read no faster than its client receives it, and no further once the client has disconnected', async () => {
  const { source, lines } = makeSource({ pages: Number.POSITIVE_INFINITY });
  await serving(lines, async (port) => {
    const client = requestUnread(port);
    await expect.poll(() => source.read).toBeGreaterThan(300);
    await expect
      .poll(async () => {
        const before = source.read;
        for (let turns = 0; turns < 50; turns++) await turn();
        return source.read - before;
      })
      .toBe(0);
    client.destroy();
    await expect.poll(() => source.ended).toBe(true);
  });
});

test('an error of the store before the answer begins is 500, after that it closes the connection, and it is logged', async () => {
  await serving(makeSource({ pages: 3, fails: true }).lines, async (port, logged) => {
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500);
    await expect.poll(() => logged.join('')).toContain('request failed');
  });
  await serving(makeSource({ fails: true }).lines, async (port, logged) => {
    await expect((await fetch(`http://127.0.0.1:${port}/`)).text()).rejects.toThrow();
    await expect.poll(() => logged.join('')).toContain('request failed');
  });
});

test('an object has its lines between the members that are known before and after them', async () => {
  async function* lines() {
    yield [];
    yield [1, 2];
    yield [3];
  }
  const { pieces } = streamLines({ before: { a: 'é' }, lines: lines(), after: () => ({ total: 6 }) });
  expect(JSON.parse((await Array.fromAsync(pieces)).join(''))).toEqual({ a: 'é', lines: [1, 2, 3], total: 6 });
});

test('HEAD ends the reading of a list', async () => {
  const { source, lines } = makeSource();
  await serving(lines, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    await expect.poll(() => source.ended).toBe(true);
  });
});
