import { once } from 'node:events';
import { createServer } from 'node:http';
import { makeRouter } from '../../functions/router.ts';
import { GROUPS } from '../../functions/routes.ts';
import { routesOf } from '../../shared/http/group.ts';
import { bind } from '../../shared/http/route.ts';
import { makeListener } from '../../shared/http/serve.ts';
import type { Addresses } from './client.ts';
import type { InProcess } from './in-process.ts';

/** Serves all routes with these services in this process, so that a test can hold their calls. */
export async function serveInProcess(
  services: InProcess['services'],
  stack: Addresses,
): Promise<Addresses & AsyncDisposable> {
  const routes = GROUPS.flatMap((group) => bind(routesOf<InProcess['services']>(group, services.config), services));
  const dialects = [...new Set(routes.map(({ description }) => description.dialect))];
  const server = createServer(makeListener(services, makeRouter(routes), dialects)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    controlUrl: stack.controlUrl,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
