import { once } from 'node:events';
import { Server as HttpServer, type IncomingMessage } from 'node:http';
import type { Server } from 'node:net';

/** A client that was busy for seconds must not meet a connection which the server is closing. */
const KEEP_ALIVE_MS = 600_000;

/**
 * Makes the server listen on 127.0.0.1. Port 0 picks a free port. Rejects with the server's error, such as
 * `EADDRINUSE`.
 */
export async function listen(server: Server, port: number): Promise<void> {
  if (server instanceof HttpServer) server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening');
}

/** Stops the server and closes its connections. Resolves when nothing uses its port any more. */
export function close(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Returns the server's port. Throws if the server is not listening on a port. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server is not listening on a port');
  return address.port;
}

/** Returns the URL of a request. Returns `null` if the request target is not a URL, such as `//`. Never throws. */
export function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return URL.parse(url, 'http://127.0.0.1');
}
