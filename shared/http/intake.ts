import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Log } from '../base/log.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { notFound } from '../errors.ts';
import { drainOnSignal, endOnUnhandled } from './ending.ts';
import { refuseOn, refuseUnparsed } from './unparsed.ts';

/** How long Node lets a request take to come, and how often it looks, in milliseconds. */
const PATIENCE = {
  headersTimeout: DEADLINES_MS.head,
  requestTimeout: DEADLINES_MS.request,
  connectionsCheckingInterval: 1_000,
} as const;

/**
 * Makes `listener` answer every request of the servers that functions-framework makes after this call.
 *
 * The framework's own way in parses bodies before a function is called: it answers bad JSON as HTML, prints the raw
 * body to the log, inflates compressed bodies up to 1 GB, and routes some paths itself. It also exits at once on SIGTERM, and
 * prints whatever nobody handled, its message included. All that is left of it here is the process, the port and the function's name.
 *
 * `beforeExit` is what a server that was asked to stop does last, once every request is answered.
 */
export function takeOverServers(listener: RequestListener, log: Log, beforeExit: () => Promise<void>): void {
  const createServer = http.createServer.bind(http);
  http.createServer = (): Server => {
    const server = makeServer(listener, log, PATIENCE, createServer);
    // The framework installs its handlers when it starts to listen; ours must come after.
    server.once('listening', () => setImmediate(drainOnSignal, server, beforeExit));
    server.once('listening', () => setImmediate(endOnUnhandled, log));
    return server;
  };
}

/** A server whose every request `listener` answers, and that says in our form what Node would say in its own. */
export function makeServer(
  listener: RequestListener,
  log: Log,
  patience: Pick<ServerOptions, keyof typeof PATIENCE>,
  createServer = http.createServer,
): Server {
  const server = createServer({ maxHeaderSize: 16_384, requireHostHeader: false, ...patience }, listener);
  server.on('checkExpectation', listener);
  server.on('connect', (_message, socket) => refuseOn(socket, notFound(), log));
  refuseUnparsed(server, log);
  return server;
}
