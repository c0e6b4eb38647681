import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Log } from '../base/log.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { notFound } from '../errors.ts';
import { refuseOn, refuseUnparsed } from './unparsed.ts';

/**
 * Longer than the 600 seconds for which Google's front end keeps an idle connection. The side that closes it first must
 * be the one that sends requests, or a request can meet the closing connection and get lost.
 */
const KEEP_ALIVE_MS = 620_000;

/** Node's request timeouts and how often it checks them, in milliseconds. */
const TIMEOUTS = {
  headersTimeout: DEADLINES_MS.head,
  requestTimeout: DEADLINES_MS.request,
  connectionsCheckingInterval: 1_000,
} as const;

/** Makes a server. Requests that Node cannot parse get an error in the service's format. */
export function makeServer(
  listener: RequestListener,
  log: Log,
  timeouts: Pick<ServerOptions, keyof typeof TIMEOUTS> = TIMEOUTS,
  createServer = http.createServer,
): Server {
  const server = createServer(
    { maxHeaderSize: 16_384, requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS, ...timeouts },
    listener,
  );
  server.on('checkExpectation', listener);
  server.on('connect', (_message, socket) => refuseOn(socket, notFound(), log));
  refuseUnparsed(server, log);
  return server;
}
