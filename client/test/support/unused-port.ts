import { createServer } from 'node:net';
import { listen, portOf } from '../../../emulators/base/listen.ts';

/** A port of this machine that nobody listens on. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  await listen(server, 0);
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
