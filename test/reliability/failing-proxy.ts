import http from 'node:http';
import http2 from 'node:http2';
import { GRPC } from '../../shared/grpc/status.ts';
import { listen } from '../support/second-service.ts';

/** Lets some calls to a dependency fail. Half of them never reach it. The others do, but their answer is lost. */
export interface FailingProxy {
  readonly port: number;
  /** Lets one in `calls` calls fail from now on (0: none), gRPC calls with `status`, but reads with `UNAVAILABLE`. */
  failOneIn(calls: number, status?: number): void;
  stop(): void;
}

/** Decides which calls fail, and how. The order is fixed, so that all runs are alike. */
class Turns {
  #every = 0;
  #calls = 0;
  #failures = 0;
  #status: number = GRPC.UNAVAILABLE;

  get status(): number {
    return this.#status;
  }

  failOneIn(calls: number, status: number = GRPC.UNAVAILABLE): void {
    this.#every = calls;
    this.#status = status;
  }

  next(): 'pass' | 'refuse' | 'lose the answer' {
    if (this.#every === 0 || ++this.#calls % this.#every !== 0) return 'pass';
    return ++this.#failures % 2 === 1 ? 'refuse' : 'lose the answer';
  }
}

/**
 * These calls fail before they reach Firestore. If a client loses the answer to a transaction's first read, Firestore
 * keeps the transaction's locks for a minute. That is not a fault of the service.
 */
const READS = /\/(BatchGetDocuments|RunQuery|BeginTransaction)$/;

/** The result of a gRPC call. By default the call passes. */
export interface Fate {
  /** Answers with this status. The call does not reach the server. */
  readonly refuse?: number;
  /** Answers with this status after the server has handled the call. */
  readonly loseAnswer?: number;
}

/** A proxy in front of a local gRPC server. */
export interface GrpcProxy {
  readonly port: number;
  /** The paths of the calls that have not ended. */
  open(): string[];
  stop(): void;
}

/** A call waits for `decide`, and is not forwarded if the caller cancels it before. */
export async function startGrpcProxy(
  target: number,
  decide: (path: string) => Fate | Promise<Fate>,
): Promise<GrpcProxy> {
  const sessions = new Set<http2.Http2Session>();
  const open = new Map<http2.ServerHttp2Stream, string>();
  const server = http2.createServer();
  server.on('session', (session) => {
    const upstream = http2.connect(`http://127.0.0.1:${target}`);
    sessions.add(session).add(upstream);
    const end = () => {
      session.destroy();
      upstream.destroy();
      sessions.delete(session);
      sessions.delete(upstream);
    };
    for (const one of [session, upstream]) one.on('error', end).once('close', end);
    session.on('stream', async (stream, headers) => {
      const path = headers[':path'] ?? '';
      open.set(stream, path);
      stream.on('error', () => undefined).once('close', () => open.delete(stream));
      const fate = await decide(path);
      if (!stream.closed) relay(stream, headers, upstream, fate);
    });
  });
  const port = await listen(server);
  return {
    port,
    open: () => [...open.values()],
    stop: () => {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}

export async function startFailingGrpcProxy(target: number): Promise<FailingProxy> {
  const turns = new Turns();
  const { port, stop } = await startGrpcProxy(target, (path) => {
    const turn = turns.next();
    if (turn === 'pass') return {};
    if (READS.test(path)) return { refuse: GRPC.UNAVAILABLE };
    return turn === 'refuse' ? { refuse: turns.status } : { loseAnswer: turns.status };
  });
  return { port, failOneIn: (calls, status) => turns.failOneIn(calls, status), stop };
}

function relay(
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  upstream: http2.ClientHttp2Session,
  fate: Fate,
): void {
  // A gRPC answer without a message.
  const refuse = (status: number) => {
    const refusal = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) };
    if (!stream.closed && !stream.headersSent) stream.respond(refusal, { endStream: true });
  };
  if (upstream.closed || fate.refuse !== undefined) {
    stream.resume();
    refuse(fate.refuse ?? GRPC.UNAVAILABLE);
    return;
  }
  const call = upstream.request(headers);
  call.on('error', () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
  stream.pipe(call);
  stream.once('close', () => call.close());
  const { loseAnswer } = fate;
  if (loseAnswer !== undefined) {
    call.resume();
    call.once('close', () => refuse(loseAnswer));
    return;
  }
  let trailers: http2.IncomingHttpHeaders = {};
  call.once('response', (answer, flags) => {
    const isWhole = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true });
    if (!isWhole) call.pipe(stream);
  });
  call.once('trailers', (sent) => {
    trailers = sent;
  });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
}

/** `target` is the port of a local HTTP/1.1 server. */
export async function startFailingHttpProxy(target: number): Promise<FailingProxy> {
  const turns = new Turns();
  const server = http.createServer((request, response) => {
    const turn = turns.next();
    if (turn === 'refuse') {
      request.resume();
      response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const { method, url, headers } = request;
    const call = http.request({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
      if (turn === 'lose the answer') {
        response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    call.on('error', () => response.destroy());
    request.pipe(call);
  });
  const port = await listen(server);
  return {
    port,
    failOneIn: (calls) => turns.failOneIn(calls),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
