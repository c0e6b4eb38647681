import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Log } from '../base/log.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { notFound } from '../errors.ts';
import type { Dialect } from './dialect.ts';
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

export interface ServerSettings {
  /** The dialects of the server's routes, in which it refuses requests that Node cannot parse. */
  readonly dialects?: readonly Dialect[];
  readonly timeouts?: Pick<ServerOptions, keyof typeof TIMEOUTS>;
  readonly createServer?: typeof http.createServer;
}

/** Makes a server. Requests that Node cannot parse get an error in the service's format. */
export function makeServer(
  listener: RequestListener,
  log: Log,
  { dialects = [], timeouts = TIMEOUTS, createServer = http.createServer }: ServerSettings = {},
): Server {
  const server = createServer(
    { maxHeaderSize: 16_384, requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS, ...timeouts },
    listener,
  );
  server.on('checkExpectation', listener);
  server.on('connect', (_message, socket) => refuseOn(socket, notFound(), log));
  refuseUnparsed(server, log, dialects);
  return server;
}
