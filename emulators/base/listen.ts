import { once } from 'node:events';
import type { Server } from 'node:net';

/** Listens on 127.0.0.1; port 0 takes a free one. Rejects with the server's error, such as `EADDRINUSE`. */
export async function listen(server: Server, port: number): Promise<void> {
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening');
}

/** The port that a server listens on. Throws when it does not listen on one. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server is not listening on a port');
  return address.port;
}
