import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Log } from '../base/log.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { notFound } from '../errors.ts';
import { refuseOn, refuseUnparsed } from './unparsed.ts';

/** How long Node lets a request take to come, and how often it looks, in milliseconds. */
const PATIENCE = {
  headersTimeout: DEADLINES_MS.head,
  requestTimeout: DEADLINES_MS.request,
  connectionsCheckingInterval: 1_000,
} as const;

/** A server whose every request `listener` answers, and that says in our form what Node would say in its own. */
export function makeServer(
  listener: RequestListener,
  log: Log,
  patience: Pick<ServerOptions, keyof typeof PATIENCE> = PATIENCE,
  createServer = http.createServer,
): Server {
  const server = createServer({ maxHeaderSize: 16_384, requireHostHeader: false, ...patience }, listener);
  server.on('checkExpectation', listener);
  server.on('connect', (_message, socket) => refuseOn(socket, notFound(), log));
  refuseUnparsed(server, log);
  return server;
}
