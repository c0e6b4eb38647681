import http from 'node:http';
import http2 from 'node:http2';
import { GRPC } from '../../shared/grpc/status.ts';
import { listen } from '../support/second-service.ts';

/**
 * A proxy that makes some calls fail. Half of these calls never reach the dependency. The other half reach it, but
 * their answer is lost.
 */
export interface FailingProxy {
  readonly port: number;
  /**
   * Makes one of every `calls` calls fail, or none if `calls` is 0. In gRPC, failed calls have this status, except
   * reads, which always have `UNAVAILABLE`.
   */
  failOneIn(calls: number, status?: number): void;
  stop(): void;
}

/** Decides by counting which calls fail, and how they fail. So all runs are alike. */
class Turns {
  #every = 0;
  #calls = 0;
  #failures = 0;
  #status: number = GRPC.UNAVAILABLE;

  /** Returns the gRPC status of failed calls. */
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
 * Calls that only fail before they reach the dependency, and never by losing their answer. If the answer to a
 * transaction's first read is lost, Firestore keeps the transaction's locks for a minute. That would not be the
 * service's fault.
 */
const READS = /\/(BatchGetDocuments|RunQuery|BeginTransaction)$/;

/** What the proxy does with a gRPC call. With neither field, it forwards the call and the answer. */
export interface CallFault {
  /** The status with which the proxy answers. The dependency never gets the call. */
  readonly refuse?: number;
  /** The status with which the proxy answers after the dependency has done the work. */
  readonly loseAnswer?: number;
}

/** A proxy in front of a gRPC server on this machine. */
export interface GrpcProxy {
  readonly port: number;
  /** Returns the paths of the calls that are in progress. */
  open(): string[];
  stop(): void;
}

/**
 * Starts a proxy. Each call waits until its fault is known. If the caller cancels the call before that, the proxy drops
 * it.
 */
export async function startGrpcProxy(
  target: number,
  decide: (path: string) => CallFault | Promise<CallFault>,
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
      const fault = await decide(path);
      if (!stream.closed) relay(stream, headers, upstream, fault);
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

/** Starts a proxy in front of a gRPC server on this machine. It can make calls fail. */
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
  fault: CallFault,
): void {
  // A gRPC answer without a message has its status in the headers.
  const refuse = (status: number) => {
    const refusal = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status) };
    if (!stream.closed && !stream.headersSent) stream.respond(refusal, { endStream: true });
  };
  if (upstream.closed || fault.refuse !== undefined) {
    stream.resume();
    refuse(fault.refuse ?? GRPC.UNAVAILABLE);
    return;
  }
  const call = upstream.request(headers);
  call.on('error', () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
  stream.pipe(call);
  stream.once('close', () => call.close());
  const { loseAnswer } = fault;
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

/** Starts a proxy in front of an HTTP/1.1 server on this machine. It can make calls fail. */
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
