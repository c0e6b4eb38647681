import http from 'node:http';
import http2 from 'node:http2';
import { GRPC } from '../../shared/grpc/status.ts';
import { listen } from '../support/second-service.ts';

/**
 * A proxy that makes some calls fail. Half of the failing calls never reach the dependency. The other half reach it, but
 * the proxy drops the answer.
 */
export interface FailingProxy {
  readonly port: number;
  /**
   * Makes one of every `calls` calls fail, or none if `calls` is 0. `status` is the gRPC status of failed calls. Failed
   * reads always have the status `UNAVAILABLE`.
   */
  failOneIn(calls: number, status?: number): void;
  stop(): void;
}

/** Decides which calls fail, and how. It counts the calls, so that the same calls fail in every run. */
class FailureSchedule {
  #every = 0;
  #calls = 0;
  #failures = 0;
  /** The gRPC status of failed calls. */
  status: number = GRPC.UNAVAILABLE;

  failOneIn(calls: number, status: number = GRPC.UNAVAILABLE): void {
    this.#every = calls;
    this.status = status;
  }

  next(): 'pass' | 'refuse' | 'lose the answer' {
    if (this.#every === 0 || ++this.#calls % this.#every !== 0) return 'pass';
    return ++this.#failures % 2 === 1 ? 'refuse' : 'lose the answer';
  }
}

/**
 * Matches Firestore's read calls. A read can only fail before it reaches Firestore. If the proxy dropped the answer to a
 * transaction's first read, Firestore would keep the transaction's locks for a minute, and the service could not prevent
 * that.
 */
const READS = /\/(BatchGetDocuments|RunQuery|BeginTransaction)$/;

/** How a gRPC call fails. With neither field, the proxy forwards the call and its answer. */
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
 * Starts a proxy. Each call waits until `decide` has chosen its fault. If the caller cancels the call before that, the
 * proxy drops it.
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
  const schedule = new FailureSchedule();
  const { port, stop } = await startGrpcProxy(target, (path) => {
    const action = schedule.next();
    if (action === 'pass') return {};
    if (READS.test(path)) return { refuse: GRPC.UNAVAILABLE };
    return action === 'refuse' ? { refuse: schedule.status } : { loseAnswer: schedule.status };
  });
  return { port, failOneIn: (calls, status) => schedule.failOneIn(calls, status), stop };
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
  const schedule = new FailureSchedule();
  const server = http.createServer((request, response) => {
    const action = schedule.next();
    if (action === 'refuse') {
      request.resume();
      response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const { method, url, headers } = request;
    const call = http.request({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
      if (action === 'lose the answer') {
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
    failOneIn: (calls) => schedule.failOneIn(calls),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
