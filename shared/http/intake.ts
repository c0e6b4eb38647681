import http, { type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, notFound, viewError } from '../errors.ts';
import { requestId } from './request-id.ts';

/** Cloud Run kills an instance ten seconds after it has asked it to stop. */
const DRAIN_MS = 8_000;

/** What was sent before the signal may be on a connection that was not taken yet: for so long nothing must have come. */
const QUIET_MS = 500;
/** Where something comes all the time, it is turned away after so long: what is in flight by then needs the rest. */
const LINGER_MS = 3_000;

/**
 * Makes `listener` answer every request of the servers that functions-framework makes after this call.
 *
 * The framework's own way in parses bodies before a function is called: it answers bad JSON as HTML, prints the raw
 * body to the log, inflates compressed bodies up to 1 GB, and routes some paths itself. It also exits at once on SIGTERM.
 * All that is left of it here is the process, the port and the function's name.
 *
 * `beforeExit` is what a server that was asked to stop does last, once every request is answered.
 */
export function takeOverServers(listener: RequestListener, beforeExit: () => Promise<void>): void {
  const createServer = http.createServer.bind(http);
  const takeOver = (): Server => {
    const server = createServer({ maxHeaderSize: 16_384, requireHostHeader: false }, listener);
    // What Node would answer by itself, without our request id and error body:
    server.on('checkExpectation', listener);
    server.on('connect', (_message, socket) => refuseOn(socket, notFound()));
    server.on('clientError', refuseUnparsed);
    // The framework installs its signal handlers when it starts to listen; ours must come after.
    server.once('listening', () => setImmediate(drainOnSignal, server, beforeExit));
    return server;
  };
  http.createServer = takeOver;
}

function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const message = 'the request is not well-formed HTTP, its head is too large, or it did not come in time';
  refuseOn(socket, new ApiError('invalid_request', message));
}

/** Answers on a bare connection, and closes it. */
function refuseOn(socket: Duplex, refusal: ApiError): void {
  const id = requestId(undefined);
  const body = JSON.stringify(viewError(refusal, id));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * On SIGTERM or SIGINT: answers what was sent before, until nothing comes any more; then takes no new connection, lets the
 * requests in flight finish, each the last on its connection, and exits.
 */
function drainOnSignal(server: Server, beforeExit: () => Promise<void>): void {
  const inFlight = new Set<ServerResponse>();
  let draining = false;
  let arrivals = 0;
  const closeAfter = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.on('connection', () => arrivals++);
  server.prependListener('request', (_message, response) => {
    arrivals++;
    if (draining) closeAfter(response);
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
  });
  const onceQuiet = (then: () => void, until = performance.now() + LINGER_MS) => {
    const before = arrivals;
    const look = () => (arrivals === before || performance.now() > until ? then() : onceQuiet(then, until));
    // Timers that are late come before what has arrived meanwhile, immediates after it.
    setTimeout(() => setImmediate(look), QUIET_MS);
  };
  const drain = () => {
    if (draining) return;
    draining = true;
    for (const response of inFlight) closeAfter(response);
    onceQuiet(() => {
      server.close(() => beforeExit().finally(() => process.exit(0)));
      server.closeIdleConnections();
    });
    setTimeout(() => process.exit(0), DRAIN_MS).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, drain);
  }
}
